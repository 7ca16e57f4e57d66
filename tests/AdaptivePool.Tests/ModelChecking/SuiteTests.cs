using AdaptivePool.Tests.ModelChecking.Models;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>
/// The types of the pool under all schedules within the bounds of each program. Each part of the suite has a class of its own, so that they run side by side.
/// </summary>
public sealed class SuiteTests(ITestOutputHelper output) : IDisposable
{
    private readonly SuiteRun _run = new(output);

    public static TheoryData<string> Names => [.. Suite.Programs.Select(static p => p.Name)];

    public static TheoryData<string> QueueNames
        => [.. Suite.Programs.Select(p => p.Name).Where(n => n.Split(':')[0] is "deque" or "idle" or "futex")];

    public void Dispose() => _run.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public void Exhaust_EachProgram_NeverFails(string name) => _run.Exhaust(name);

    [Theory]
    [MemberData(nameof(Names))]
    public void Explore_EachProgramBeyondTheBounds_NeverFails(string name) => _run.Explore(name);

    /// <summary>With stores that become visible before earlier loads.</summary>
    [Theory]
    [MemberData(nameof(QueueNames))]
    public void Exhaust_EachQueueForeseeing_NeverFails(string name)
    {
        NamedProgram program = Suite.Get(name);
        var bounds = new Bounds(Preemptions: 2, Ages: 1, IsCoarse: true);
        Exploration found = _run.Checker.Exhaust(program.Create, bounds, prophecies: _run.Checker.Learn(program.Create));
        output.WriteLine($"model checked: {name}, foreseeing: {found}");
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }
}
