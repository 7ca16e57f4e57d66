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
    private Change _change = new(0, 0);
    private int _samples;

    /// <summary>Completions still to be dropped; zero when settled.</summary>
    public double Remaining { get; private set; }

    /// <summary>True while samples are to be dropped.</summary>
    public bool IsActive => Remaining > 0;

    /// <summary>Threads that are still to leave, while samples are dropped.</summary>
    public double Leaving => Math.Max(0, _change.Leaving - (_change.Wanted - Remaining));

    /// <summary>Starts to drop.</summary>
    /// <param name="completions">Completions to drop; zero or less drops nothing.</param>
    /// <param name="leaving">Threads that have to leave.</param>
    public void Begin(double completions, int leaving = 0)
    {
        _change = new(Math.Max(0, completions), Math.Max(0, leaving));
        Remaining = _change.Wanted;
        _samples = 0;
    }

    /// <summary>What is left is not dropped.</summary>
    public void End() => Remaining = 0;

    /// <summary>Drops one sample.</summary>
    /// <param name="completions">Items that completed in it.</param>
    public void Drop(long completions)
    {
        double left = Remaining - completions;
        _samples++;
        Remaining = left <= Tolerance * _change.Wanted || _samples >= MaxSamples ? 0 : left;
    }

    private sealed record Change(double Wanted, int Leaving);
}
