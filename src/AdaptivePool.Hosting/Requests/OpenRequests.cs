namespace AdaptivePool.Hosting.Requests;

/// <summary>The requests of a work class that have begun and not ended, whether they wait, run or await.</summary>
internal sealed class OpenRequests
{
    private static readonly ConditionalWeakTable<WorkClass, OpenRequests> s_known = [];

    private int _count;

    /// <summary>The open requests of a class, for all of its endpoints. From the first call on, the class reports their number to its controller.</summary>
    /// <param name="workClass">The class.</param>
    public static OpenRequests Of(WorkClass workClass)
    {
        // First requests that arrive at once may each create one, and one of them is kept: the class reads that one.
        OpenRequests open = s_known.GetValue(workClass, static _ => new OpenRequests());
        workClass.CountConnections ??= () => Volatile.Read(ref open._count);
        return open;
    }

    // Atomic: requests of all connections begin and end at once, and none may be lost from the count. Orders nothing.
    public void Begin() => Interlocked.Increment(ref _count);

    public void End() => Interlocked.Decrement(ref _count);
}
