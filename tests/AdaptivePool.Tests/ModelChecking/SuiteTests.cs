using System.Globalization;
using AdaptivePool.Tests.ModelChecking.Models;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>The types of the pool under all schedules within the bounds of each program. ADAPTIVEPOOL_MODEL_BOUNDS=preemptions,ages goes deeper, for hours if need be.</summary>
public sealed class SuiteTests(ITestOutputHelper output) : IDisposable
{
    private readonly Checker _checker = new();

    public static TheoryData<string> Names => [.. Suite.Programs.Select(p => p.Name)];

    public void Dispose() => _checker.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public void Exhaust_EachProgram_NeverFails(string name)
    {
        NamedProgram program = Suite.Get(name);
        Bounds bounds = FromEnvironment() ?? program.Bounds;
        Exploration found = _checker.Exhaust(program.Create, bounds);
        output.WriteLine($"{name}, {bounds}: {found}");
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Explore_EachProgramBeyondTheBounds_NeverFails(string name)
    {
        NamedProgram program = Suite.Get(name);
        _checker.Explore(program.Create, new PctStrategy(seed: 7, runs: 300, depth: 5, steps: 90)).Failure.ShouldBeNull();
        _checker.Explore(program.Create, new RandomStrategy(seed: 7, runs: 300)).Failure.ShouldBeNull();
    }

    private static Bounds? FromEnvironment() =>
        Environment.GetEnvironmentVariable("ADAPTIVEPOOL_MODEL_BOUNDS") is { Length: > 0 } text && text.Split(',') is [var preemptions, var ages]
            ? new Bounds(int.Parse(preemptions, CultureInfo.InvariantCulture), int.Parse(ages, CultureInfo.InvariantCulture))
            : null;
}
