using System.Text.RegularExpressions;

namespace AdaptivePool.Tests.Architecture;

/// <summary>The paths through the code in docs/architecture.md: their steps exist, are few, and each one calls the next, as the compiler sees it.</summary>
public sealed partial class PathTests
{
    private const int MostSteps = 14;

    public static TheoryData<string> Paths => [.. All().Select(static path => path.Name)];

    [Fact]
    public void Paths_OfARequestASampleAWaitAndALease_AreThere()
        => All().Select(static path => path.Name).ShouldBe(["A request", "A guest", "A sample", "A wait that blocks", "A lease"]);

    [Theory]
    [MemberData(nameof(Paths))]
    public void Path_EachStep_Exists(string name)
    {
        foreach (string[] part in PartsOf(name))
        {
            part.Length.ShouldBeInRange(2, MostSteps);
            part.Where(static step => !CallGraph.Has(step)).ShouldBeEmpty();
        }
    }

    /// <summary>What another thread does is a list of its own; in each list all steps but the first are called by an earlier one.</summary>
    [Theory]
    [MemberData(nameof(Paths))]
    public void Path_EachStep_IsCalledByAnEarlierOne(string name)
    {
        List<string> called = [];
        foreach (string[] part in PartsOf(name))
        {
            called.AddRange(part.Where((step, i) => i > 0 && !part.Take(i).Any(earlier => CallGraph.Calls(earlier, step))));
        }

        called.ShouldBeEmpty("no earlier step of the same list calls these");
    }

    /// <summary>Through an interface, a field that holds a delegate, a base type, and the end of a <c>using</c>; not where nothing is called.</summary>
    [Theory]
    [InlineData("Worker.Invoke", "ServerWorkItem.Execute", true)]
    [InlineData("ServerWorkItem.Execute", "ServerWorkItem.Start", true)]
    [InlineData("ServerWorkItem.Start", "RequestWorkItem.Begin", true)]
    [InlineData("GateCore.LetIn", "Decisions.Dispose", true)]
    [InlineData("ClassSizing.Decide", "ControllerFeed.Observe", false)]
    [InlineData("Worker.RunNext", "Worker.TakeRoot", false)]
    public void Calls_WhatTheCompilerSees_AreFound(string caller, string called, bool isCall) => CallGraph.Calls(caller, called).ShouldBe(isCall);

    private static string[][] PartsOf(string name) => All().Single(path => path.Name == name).Parts;

    private static IEnumerable<(string Name, string[][] Parts)> All()
    {
        string section = Repository.Read("docs/architecture.md").Split("## Paths through the code")[1].Split("\n## ")[0];
        foreach (Match path in Path().Matches(section))
        {
            yield return (path.Groups["name"].Value, [.. path.Groups["steps"].Captures.Select(static part
                => (string[])[.. Step().Matches(part.Value).Select(static m => m.Groups["name"].Value)])]);
        }
    }

    [GeneratedRegex(@"^\*\*(?<name>[^*]+)\*\*(?:(?!\d+\. |\*\*)[^\n]*\n+|(?<steps>(?:\d+\. [^\n]*\n)+))+", RegexOptions.Multiline)]
    private static partial Regex Path();

    [GeneratedRegex(@"^\d+\. `(?<name>\w+\.\w+)`", RegexOptions.Multiline)]
    private static partial Regex Step();
}
