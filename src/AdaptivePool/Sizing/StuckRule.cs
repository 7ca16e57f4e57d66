namespace AdaptivePool.Sizing;

/// <summary>
/// Gives away the places of workers that are stuck: at an item older than the patience, and not computing. Without it a hundred items that block for a minute would fill a limit of ten that was measured when nothing
/// blocked, and everything behind them would wait. A place is given only while other items complete: a server that answers nobody must not get a new caller for each that waits.
/// </summary>
internal sealed class StuckRule
{
    // 0.05 of 40 workers are two, not three.
    private const double Rounding = 1e-6;

    private long _completed = -1;

    /// <summary>Places given away: the class may have so many workers beyond its limit.</summary>
    public int Places { get; private set; }

    /// <summary>Takes one tick. Who is stuck no longer gives the place back at once.</summary>
    /// <param name="c">The class.</param>
    /// <param name="mayGive">False while a loan is open, which has lent the places already, and while the class reads as a hog.</param>
    public void Observe(in ClassObservation c, bool mayGive)
    {
        bool passed = _completed >= 0 && c.Completed > _completed;
        _completed = c.Completed;
        int stuck = Stuck(c);
        Places = passed && mayGive ? stuck : Math.Min(Places, stuck);
    }

    // Who does not wait visibly may compute: as many of those as the class keeps cores busy are not stuck (rule R6).
    private static int Stuck(in ClassObservation c)
    {
        double blocked = double.IsNaN(c.BlockedShare) ? 0 : c.BlockedShare;
        int computing = (int)Math.Ceiling(((1 - blocked) * c.Active) - Rounding);
        return Math.Min(c.Active, c.StuckWaiting + Math.Max(0, c.StuckElsewhere - computing));
    }
}
