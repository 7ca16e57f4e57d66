using System.Reflection;
using System.Text.RegularExpressions;

namespace AdaptivePool.Tests.Architecture;

/// <summary>docs/surface.md lists the public types, each once, and no other.</summary>
public sealed partial class SurfacePageTests
{
    [Fact]
    public void Page_ListsEachPublicTypeOnce()
    {
        IEnumerable<string> types = SnippetReferences.OwnPackages
            .SelectMany(static package => Assembly.Load(package).GetExportedTypes())
            .Where(static type => type.Namespace!.StartsWith("AdaptivePool", StringComparison.Ordinal)
                && !type.Name.EndsWith("Extensions", StringComparison.Ordinal))
            .Select(static type => type.Name);
        Row().Matches(Repository.Read("docs/surface.md")).Select(static match => match.Groups["type"].Value).ShouldBe(types, ignoreOrder: true);
    }

    [Theory]
    [InlineData(50, "AdaptivePool")]
    [InlineData(15, "AdaptivePool.Data", "AdaptivePool.EntityFrameworkCore")]
    public void Surface_CanBeLearned(int most, params string[] packages) =>
        packages.Sum(static package => Assembly.Load(package).GetExportedTypes().Length).ShouldBeLessThanOrEqualTo(most);

    [GeneratedRegex(@"^\| `(?<type>\w+)` \|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
