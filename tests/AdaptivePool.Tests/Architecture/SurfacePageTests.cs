using System.Reflection;
using System.Text.RegularExpressions;

namespace AdaptivePool.Tests.Architecture;

/// <summary>
/// docs/surface.md lists the public types, each once and in its namespace, and no other; and each is where a user looks who does not read lists.
/// </summary>
public sealed partial class SurfacePageTests
{
    /// <summary>A namespace that the page names is that of the types of all tables from there on.</summary>
    [Fact]
    public void Page_ListsEachPublicTypeOnceInItsNamespace()
    {
        IEnumerable<string> types = Types().Select(static type => type.FullName!);
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

    /// <summary>By its name as code has it, an attribute without its ending: in the README, a page of docs beside the list and the studies, or a
    /// sample.</summary>
    [Fact]
    public void Types_Each_IsInAPageOrASample()
    {
        IEnumerable<string> pages = Documents.Present()
            .Where(static page => page != "docs/surface.md" && !page.StartsWith("docs/studies/", StringComparison.Ordinal));
        HashSet<string> words = [.. pages.Concat(Repository.Files("samples", "*.cs")).SelectMany(static file => Word().Matches(Repository.Read(file)))
            .Select(static word => word.Value)];
        Types().Select(static type => type.Name).Where(name => !words.Contains(name) && !words.Contains(Regex.Replace(name, "Attribute$", "")))
            .ShouldBeEmpty();
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

    private static IEnumerable<Type> Types() => SnippetReferences.OwnPackages
        .SelectMany(static package => Assembly.Load(package).GetExportedTypes())
        .Where(static type => type.Namespace!.StartsWith("AdaptivePool", StringComparison.Ordinal)
            && !type.Name.EndsWith("Extensions", StringComparison.Ordinal));

    [GeneratedRegex(@"\w+")]
    private static partial Regex Word();

    [GeneratedRegex(@"^\| `(?<type>\w+)` \||[Nn]amespace\s+`(?<namespace>[\w.]+)`", RegexOptions.Multiline)]
    private static partial Regex RowOrNamespace();
}
