using System.Reflection;
using System.Text.RegularExpressions;

namespace AdaptivePool.Tests.Architecture;

/// <summary>The paths through the code in docs/architecture.md: their steps exist, and are few.</summary>
public sealed partial class PathTests
{
    private const int MostSteps = 14;
    private const BindingFlags Any = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static;

    private static readonly Lazy<ILookup<string, Type>> s_types = new(static () =>
        new[] { typeof(AdaptiveThreadPool).Assembly, typeof(Hosting.AdaptivePoolHostingOptions).Assembly }
            .SelectMany(static a => a.GetTypes())
            .ToLookup(static t => t.Name.Split('`')[0], StringComparer.Ordinal));

    public static TheoryData<string> Paths => [.. All().Select(static path => path.Name)];

    [Fact]
    public void Paths_OfARequestASampleAWaitAndALease_AreThere()
        => All().Select(static path => path.Name).ShouldBe(["A request", "A sample", "A wait that blocks", "A lease"]);

    [Theory]
    [MemberData(nameof(Paths))]
    public void Path_EachStep_Exists(string name)
    {
        string[] steps = All().Single(path => path.Name == name).Steps;
        steps.Length.ShouldBeInRange(5, MostSteps);
        steps.Where(static step => !Exists(step)).ShouldBeEmpty();
    }

    private static bool Exists(string step)
    {
        string[] parts = step.Split('.');
        return s_types.Value[parts[0]].Any(type => type.GetMember(parts[1], MemberTypes.Method, Any).Length > 0);
    }

    private static IEnumerable<(string Name, string[] Steps)> All()
    {
        string section = Repository.Read("docs/architecture.md").Split("## Four paths")[1].Split("\n## ")[0];
        foreach (Match path in Path().Matches(section))
        {
            yield return (path.Groups["name"].Value, [.. Step().Matches(path.Groups["steps"].Value).Select(static m => m.Groups["name"].Value)]);
        }
    }

    [GeneratedRegex(@"^\*\*(?<name>[^*]+)\*\*[^\n]*\n\n(?<steps>(?:\d+\. [^\n]*\n)+)", RegexOptions.Multiline)]
    private static partial Regex Path();

    [GeneratedRegex(@"^\d+\. `(?<name>\w+\.\w+)`", RegexOptions.Multiline)]
    private static partial Regex Step();
}
