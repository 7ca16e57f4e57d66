namespace AdaptivePool.Tests.Simulation.Generators;

/// <summary>What the default controller must reach on curves nobody has seen. The only place of these numbers.</summary>
public static class ClimbBounds
{
    /// <summary>Length of a climb, in virtual seconds.</summary>
    public const double Seconds = 600;

    /// <summary>Response times of the start by which a climb is longer.</summary>
    public const double ResponseTimesOfRun = 30;

    /// <summary>Greatest steady regret of any climb. Loose: a few hundred completions per second, 400 threads or more to climb and a noise over 30 % are not
    /// done within the climb; 95 % were seen.</summary>
    public const double WorstSteadyRegret = 0.97;

    /// <summary>Steady regret that 95 % of the climbs stay under.</summary>
    public const double HighSteadyRegret = 0.3;

    /// <summary>Median steady regret.</summary>
    public const double MedianSteadyRegret = 0.01;

    /// <summary>Share of the climbs that converge.</summary>
    public const double ConvergedShare = 0.88;

    /// <summary>Completions until convergence that half of the climbs stay under; those of response times come on top.</summary>
    public const double MedianCompletions = 10_000;

    /// <summary>Response times until convergence that are allowed beside the completions.</summary>
    public const double ResponseTimes = 10;
}
