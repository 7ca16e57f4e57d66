namespace AdaptivePool.Control;

/// <summary>
/// The completions that are still to be dropped right after a change of size, because their items were started at the old size. The rule counts completions:
/// the response time is one round of the pool, whatever the clock says. Immutable.
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

    /// <summary>Creates the settling after a change of size.</summary>
    /// <param name="completions">Completions to drop; zero or less drops nothing.</param>
    public static Settling After(double completions)
    {
        double wanted = Math.Max(0, completions);
        return new(wanted, wanted, 0);
    }

    /// <summary>Returns the state after a sample was dropped.</summary>
    /// <param name="completions">Items that completed in the sample.</param>
    public Settling Drop(long completions)
    {
        double left = Remaining - completions;
        int samples = _samples + 1;
        return new(_wanted, left <= Tolerance * _wanted || samples >= MaxSamples ? 0 : left, samples);
    }
}
