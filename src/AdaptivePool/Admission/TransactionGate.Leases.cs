namespace AdaptivePool.Admission;

/// <remarks>Who is inside, for administrators and dashboards; and the alarm.</remarks>
public sealed partial class TransactionGate
{
    /// <summary>
    /// The gate looks stalled: somebody waits, and no transaction has ended for <see cref="TransactionGateOptions.StallAfter"/> since the first one waited, also when earlier waits have ended in vain. Raised once until one ends, on a thread of the gate: a handler must return quickly; what it throws is
    /// counted in <see cref="GateSnapshot.HandlerFaults"/>. A handler, or whoever it calls, may raise <see cref="MaxTransactions"/> or <see cref="Cancel"/> leases.
    /// </summary>
    public event EventHandler<GateStalledEventArgs>? Stalled;

    /// <summary>The transactions inside, the one that has been inside longest first.</summary>
    /// <param name="olderThan">Leaves out those that have been inside for a shorter time. Default zero: all.</param>
    public IReadOnlyList<TransactionLeaseInfo> GetLeases(TimeSpan olderThan = default) => [.. Core.GetLeases().Where(info => info.Age >= olderThan)];

    /// <summary>
    /// Cancels the token of a transaction inside (<see cref="TransactionLease.CancellationToken"/>). The permit comes back when the transaction heeds it and disposes its lease. Callbacks of the token run on the caller's thread.
    /// </summary>
    /// <param name="id">Number of the transaction, from <see cref="GetLeases"/>.</param>
    /// <returns>False when no transaction of this number is inside any more.</returns>
    /// <exception cref="AggregateException">Callbacks of the token threw.</exception>
    public bool Cancel(long id)
    {
        if (Core.FindCancellation(id) is not { } cancellation)
        {
            return false;
        }

        cancellation.Cancel();
        return true;
    }

    /// <summary>State of the gate at this moment.</summary>
    public GateSnapshot GetSnapshot() => Core.GetSnapshot();

    /// <summary>Refuses those that have waited too long, raises the alarm, and says when to look again; <see langword="null"/> when nobody waits.</summary>
    internal TimeSpan? Look()
    {
        TimeSpan? next = Core.Look(out TimeSpan? stalledFor, out int queued);
        if (stalledFor is { } duration)
        {
            RaiseStalled(duration, queued);
        }

        return next;
    }

    private void RaiseStalled(TimeSpan duration, int queued)
    {
        try
        {
            Stalled?.Invoke(this, new GateStalledEventArgs(duration, queued, GetLeases()));
        }
        catch (Exception)
        {
            // A handler's fault must not end the thread that ends the waits.
            Core.CountHandlerFault();
        }
    }
}
