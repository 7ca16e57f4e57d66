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
    private readonly int _samples;

    private Settling(double wanted, double remaining, int samples) => (_wanted, Remaining, _samples) = (wanted, remaining, samples);

    /// <summary>Nothing is dropped.</summary>
    public static Settling Over { get; } = After(0);

    /// <summary>Completions still to be dropped; zero when settled.</summary>
    public double Remaining { get; }

    /// <summary>True while samples are to be dropped.</summary>
    public bool IsActive => Remaining > 0;

    /// <summary>What is dropped after a change of size.</summary>
    /// <param name="completions">Completions to drop; zero or less drops nothing.</param>
    public static Settling After(double completions)
    {
        double wanted = Math.Max(0, completions);
        return new(wanted, wanted, 0);
    }

    /// <summary>What is left once a sample was dropped.</summary>
    /// <param name="completions">Items that completed in it.</param>
    public Settling Drop(long completions)
    {
        double left = Remaining - completions;
        int samples = _samples + 1;
        return new(_wanted, left <= Tolerance * _wanted || samples >= MaxSamples ? 0 : left, samples);
    }
}
