namespace AdaptivePool.Admission;

/// <summary>
/// Tells a burst from an overload. A queue that is empty now and then absorbs bursts, and all callers in it may wait for the full timeout. A queue that has
/// not been empty for an interval stands, and waiting longer than the target only makes all answers late (controlled delay as Facebook's servers have it:
/// target 5 ms, interval 100 ms).
/// </summary>
internal sealed class ControlledDelayPolicy(TimeSpan queueTimeout, TimeSpan? overloadDelay, TimeSpan interval)
{
    /// <summary>
    /// How long a caller may wait in a queue that has not been empty for the given time, and why a caller that has waited that long is refused.
    /// </summary>
    public (TimeSpan WaitLimit, RefusalReason Reason) Judge(TimeSpan standingFor) =>
        standingFor >= interval && overloadDelay < queueTimeout
            ? (overloadDelay.Value, RefusalReason.Overload)
            : (queueTimeout, RefusalReason.QueueTimeout);

    /// <summary>How long until a caller may have to be refused, if nothing else happens.</summary>
    /// <param name="standingFor">Time since the queue was last empty.</param>
    /// <param name="oldestWait">Wait of the caller that has waited longest.</param>
    public TimeSpan NextLook(TimeSpan standingFor, TimeSpan oldestWait)
    {
        TimeSpan atTimeout = Longer(Judge(standingFor).WaitLimit - oldestWait, TimeSpan.Zero);
        if (overloadDelay is not { } delay || standingFor >= interval)
        {
            return atTimeout;
        }

        TimeSpan whenItStands = Longer(interval - standingFor, delay - oldestWait);
        return whenItStands < atTimeout ? whenItStands : atTimeout;
    }

    private static TimeSpan Longer(TimeSpan a, TimeSpan b) => a > b ? a : b;
}
