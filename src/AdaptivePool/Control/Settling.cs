namespace AdaptivePool.Control;

/// <summary>
/// Drops what completes right after a change of size: those items were started at the old one. Counted in completions, because the response time is one round
/// of the pool whatever the clock says.
/// </summary>
internal sealed class Settling
{
    // A size whose items never complete must not be waited for without end: each sample takes away a share of what is left, whatever completed.
    private const double MostLeft = 0.85;

    // The last few completions of a round are not worth a sample of their own.
    private const double Tolerance = 0.2;

    /// <summary>Completions still to be dropped; zero when settled.</summary>
    public double Remaining { get; private set; }

    /// <summary>True while samples are to be dropped.</summary>
    public bool IsActive => Remaining > 0;

    /// <summary>Starts to drop.</summary>
    /// <param name="completions">Completions to drop; zero or less drops nothing.</param>
    public void Begin(double completions) => Remaining = Math.Max(0, completions);

    /// <summary>What is left is not dropped.</summary>
    public void End() => Remaining = 0;

    /// <summary>Drops one sample.</summary>
    /// <param name="completions">Items that completed in it.</param>
    /// <param name="round">Completions to drop for one round of the size in force.</param>
    public void Drop(long completions, double round)
    {
        double left = Math.Min(Remaining - completions, MostLeft * Remaining);
        Remaining = left <= Tolerance * round ? 0 : left;
    }
}
