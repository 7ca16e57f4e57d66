using System.Globalization;
using AdaptivePool.Tests.ModelChecking.Models;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>
/// The types of the pool under all schedules within the bounds of each program. ADAPTIVEPOOL_MODEL_BOUNDS=preemptions,ages goes deeper, for hours if need be;
/// with ",coarse" as <see cref="IStrategy.IsCoarse"/> says. ADAPTIVEPOOL_MODEL_SECONDS ends each program after so long, and then not all need have been tried.
/// </summary>
public sealed class SuiteTests(ITestOutputHelper output) : IDisposable
{
    private static readonly TimeSpan? s_longest = LongestFromEnvironment();
    private readonly Checker _checker = new() { Longest = s_longest ?? TimeSpan.MaxValue };

    public static TheoryData<string> Names => [.. Suite.Programs.Concat(Suite.Whole).Select(p => p.Name)];

    public static TheoryData<string> QueueNames
        => [.. Suite.Programs.Select(p => p.Name).Where(n => n.Split(':')[0] is "deque" or "ring" or "idle" or "futex")];

    public void Dispose() => _checker.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public void Exhaust_EachProgram_NeverFails(string name)
    {
        NamedProgram program = Suite.Get(name);
        Bounds bounds = FromEnvironment() ?? program.Bounds;
        bounds = program.IsSequential ? bounds with { Ages = 0 } : bounds;
        Exploration found = _checker.Exhaust(program.Create, bounds);

        // The build adds the numbers up.
        output.WriteLine($"model checked: {name}, {bounds}: {found}");
        found.Failure.ShouldBeNull();
        (found.IsComplete || s_longest is not null).ShouldBeTrue();
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Explore_EachProgramBeyondTheBounds_NeverFails(string name)
    {
        NamedProgram program = Suite.Get(name);
        if (!program.IsSequential)
        {
            _checker.Explore(program.Create, new PctStrategy(seed: 7, runs: 300, depth: 5, steps: 90)).Failure.ShouldBeNull();
        }

        _checker.Explore(program.Create, new RandomStrategy(seed: 7, runs: 300, isSequential: program.IsSequential)).Failure.ShouldBeNull();
    }

    /// <summary>With stores that become visible before earlier loads.</summary>
    [Theory]
    [MemberData(nameof(QueueNames))]
    public void Exhaust_EachQueueForeseeing_NeverFails(string name)
    {
        NamedProgram program = Suite.Get(name);
        Exploration found = _checker.Exhaust(program.Create, new Bounds(Preemptions: 2, Ages: 1, IsCoarse: true), prophecies: _checker.Learn(program.Create));
        output.WriteLine($"model checked: {name}, foreseeing: {found}");
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }

    private static TimeSpan? LongestFromEnvironment() =>
        Environment.GetEnvironmentVariable("ADAPTIVEPOOL_MODEL_SECONDS") is { Length: > 0 } text
            ? TimeSpan.FromSeconds(double.Parse(text, CultureInfo.InvariantCulture))
            : null;

    private static Bounds? FromEnvironment() =>
        Environment.GetEnvironmentVariable("ADAPTIVEPOOL_MODEL_BOUNDS") is { Length: > 0 } text && text.Split(',') is [var preemptions, var ages, .. var rest]
            ? new Bounds(int.Parse(preemptions, CultureInfo.InvariantCulture), int.Parse(ages, CultureInfo.InvariantCulture), IsCoarse: rest is ["coarse"])
            : null;
}
