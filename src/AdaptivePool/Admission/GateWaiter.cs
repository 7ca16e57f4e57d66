namespace AdaptivePool.Admission;

/// <summary>A caller that waits, in its lane. Used under the gate's lock, and used again: what outlives the wait is in the answer.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class GateWaiter<TSync>
    where TSync : struct, ISync
{
    public GateWaiter() => Place = new LinkedListNode<GateWaiter<TSync>>(this);

    /// <summary>The place in a lane.</summary>
    public LinkedListNode<GateWaiter<TSync>> Place { get; }

    public TransactionRequest Request { get; set; }

    public int Group { get; set; }

    public TimeSpan Since { get; set; }

    /// <summary>The answer to complete; <see langword="null"/> for a spare waiter.</summary>
    public GateAnswer<TSync>? Answer { get; set; }
}
