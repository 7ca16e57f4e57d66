namespace AdaptivePool.Control;

/// <summary>
/// What is still to be dropped of what completes right after a change of size: those items were started at the old one. Counted in completions, because the
/// response time is one round of the pool whatever the clock says. Immutable.
/// </summary>
internal sealed class Settling
{
    // A size whose items never complete must not be waited for without end.
    private const int MaxSamples = 16;

    // The last few completions of a round are not worth a sample of their own.
    private const double Tolerance = 0.2;

    private readonly double _wanted;
    private readonly int _leaving;
    private readonly int _samples;

    private Settling(double wanted, double remaining, int leaving, int samples) =>
        (_wanted, Remaining, _leaving, _samples) = (wanted, remaining, leaving, samples);

    /// <summary>Nothing is dropped.</summary>
    public static Settling Over { get; } = After(0);

    /// <summary>Completions still to be dropped; zero when settled.</summary>
    public double Remaining { get; }

    /// <summary>True while samples are to be dropped.</summary>
    public bool IsActive => Remaining > 0;

    /// <summary>Threads that are still to leave, while samples are dropped.</summary>
    public double Leaving => Math.Max(0, _leaving - (_wanted - Remaining));

    /// <summary>What is dropped after a change of size.</summary>
    /// <param name="completions">Completions to drop; zero or less drops nothing.</param>
    /// <param name="leaving">Threads that have to leave.</param>
    public static Settling After(double completions, int leaving = 0)
    {
        double wanted = Math.Max(0, completions);
        return new(wanted, wanted, Math.Max(0, leaving), 0);
    }

    /// <summary>What is left once a sample was dropped.</summary>
    /// <param name="completions">Items that completed in it.</param>
    public Settling Drop(long completions)
    {
        double left = Remaining - completions;
        int samples = _samples + 1;
        return new(_wanted, left <= Tolerance * _wanted || samples >= MaxSamples ? 0 : left, _leaving, samples);
    }
}
