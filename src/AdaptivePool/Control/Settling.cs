namespace AdaptivePool.Control;

/// <summary>
/// Drops what completes right after a change of size: those items were started at the old one. Counted in completions, because the response time is one round
/// of the pool whatever the clock says.
/// </summary>
internal sealed class Settling
{
    // A size whose items never complete must not be waited for without end.
    private const int MaxSamples = 16;

    // The last few completions of a round are not worth a sample of their own.
    private const double Tolerance = 0.2;
    private double _wanted;
    private int _samples;

    /// <summary>Completions still to be dropped; zero when settled.</summary>
    public double Remaining { get; private set; }

    /// <summary>True while samples are to be dropped.</summary>
    public bool IsActive => Remaining > 0;

    /// <summary>Starts to drop.</summary>
    /// <param name="completions">Completions to drop; zero or less drops nothing.</param>
    public void Begin(double completions)
    {
        _wanted = Math.Max(0, completions);
        Remaining = _wanted;
        _samples = 0;
    }

    /// <summary>Drops one sample.</summary>
    /// <param name="completions">Items that completed in it.</param>
    public void Drop(long completions)
    {
        Remaining -= completions;
        _samples++;
        if (Remaining <= Tolerance * _wanted || _samples >= MaxSamples)
        {
            Remaining = 0;
        }
    }
}
