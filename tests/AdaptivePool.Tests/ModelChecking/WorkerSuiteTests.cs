using Xunit.Abstractions;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Workers under all schedules within the bounds of each program.</summary>
public sealed class WorkerSuiteTests(ITestOutputHelper output) : IDisposable
{
    private readonly SuiteRun _run = new(output);

    public static TheoryData<string> Names => [.. Suite.Workers.Select(static p => p.Name)];

    public void Dispose() => _run.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public void Exhaust_EachProgram_NeverFails(string name) => _run.Exhaust(name);

    [Theory]
    [MemberData(nameof(Names))]
    public void Explore_EachProgramBeyondTheBounds_NeverFails(string name) => _run.Explore(name, seeds: 5);
}
