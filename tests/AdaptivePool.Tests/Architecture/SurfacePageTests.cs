using System.Reflection;
using System.Text.RegularExpressions;

namespace AdaptivePool.Tests.Architecture;

/// <summary>docs/surface.md lists the public types, each once and in its namespace, and no other.</summary>
public sealed partial class SurfacePageTests
{
    /// <summary>A namespace that the page names is that of the types of all tables from there on.</summary>
    [Fact]
    public void Page_ListsEachPublicTypeOnceInItsNamespace()
    {
        IEnumerable<string> types = SnippetReferences.OwnPackages
            .SelectMany(static package => Assembly.Load(package).GetExportedTypes())
            .Where(static type => type.Namespace!.StartsWith("AdaptivePool", StringComparison.Ordinal)
                && !type.Name.EndsWith("Extensions", StringComparison.Ordinal))
            .Select(static type => type.FullName!);
        List<string> listed = [];
        string named = "";
        foreach (Match match in RowOrNamespace().Matches(Repository.Read("docs/surface.md")))
        {
            if (match.Groups["type"] is { Success: true } type)
            {
                listed.Add($"{named}.{type.Value}");
            }
            else
            {
                named = match.Groups["namespace"].Value;
            }
        }

        listed.ShouldBe(types, ignoreOrder: true);
    }

    [Fact]
    public void Page_NamesEachPackage()
    {
        string page = Repository.Read("docs/surface.md");
        SnippetReferences.OwnPackages.Where(package => !page.Contains($" {package}", StringComparison.Ordinal)).ShouldBeEmpty();
    }

    [Theory]
    [InlineData(50, "AdaptivePool")]
    [InlineData(15, "AdaptivePool.Data", "AdaptivePool.EntityFrameworkCore")]
    public void Surface_CanBeLearned(int most, params string[] packages) =>
        packages.Sum(static package => Assembly.Load(package).GetExportedTypes().Length).ShouldBeLessThanOrEqualTo(most);

    [GeneratedRegex(@"^\| `(?<type>\w+)` \||[Nn]amespace\s+`(?<namespace>[\w.]+)`", RegexOptions.Multiline)]
    private static partial Regex RowOrNamespace();
}
