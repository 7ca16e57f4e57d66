using System.Globalization;
using AdaptivePool.Tests.ModelChecking.Models;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>
/// Runs programs under all schedules within their bounds. ADAPTIVEPOOL_MODEL_BOUNDS=preemptions,ages goes deeper, for hours if need be; with ",coarse" as
/// <see cref="IStrategy.IsCoarse"/> says. ADAPTIVEPOOL_MODEL_SECONDS ends each program after so long, and then not all need have been tried.
/// </summary>
internal sealed class SuiteRun(ITestOutputHelper output) : IDisposable
{
    private const int FirstSeed = 7;

    private static readonly TimeSpan? s_longest = LongestFromEnvironment();

    public Checker Checker { get; } = new() { Longest = s_longest ?? TimeSpan.MaxValue };

    public void Dispose() => Checker.Dispose();

    public void Exhaust(string name)
    {
        NamedProgram program = Suite.Get(name);
        Bounds bounds = FromEnvironment() ?? program.Bounds;
        bounds = program.IsSequential ? bounds with { Ages = 0 } : bounds;
        Exploration found = Checker.Exhaust(program.Create, bounds);

        // The build adds the numbers up.
        output.WriteLine($"model checked: {name}, {bounds}: {found}");
        found.Failure.ShouldBeNull();
        (found.IsComplete || s_longest is not null).ShouldBeTrue();
    }

    /// <param name="name">Name of the program.</param>
    /// <param name="seeds">How many draws of schedules are tried: what one in three finds, a single one misses.</param>
    public void Explore(string name, int seeds = 1)
    {
        NamedProgram program = Suite.Get(name);
        for (int seed = FirstSeed; seed < FirstSeed + seeds; seed++)
        {
            if (!program.IsSequential)
            {
                Checker.Explore(program.Create, new PctStrategy(seed, runs: 300, depth: 5, steps: 90)).Failure.ShouldBeNull();
            }

            Checker.Explore(program.Create, new RandomStrategy(seed, runs: 300, isSequential: program.IsSequential)).Failure.ShouldBeNull();
        }
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
