namespace AdaptivePool.Admission;

/// <remarks>Who is inside, for administrators and dashboards.</remarks>
public sealed partial class TransactionGate
{
    /// <summary>The transactions inside, the one that has been inside longest first.</summary>
    /// <param name="olderThan">Leaves out those that have been inside for a shorter time. Default zero: all.</param>
    public IReadOnlyList<TransactionLeaseInfo> GetLeases(TimeSpan olderThan = default)
    {
        TimeSpan now = Now;
        return [.. _leases.ToList().Where(hold => now - hold.Since >= olderThan).Select(hold => Describe(hold, now))];
    }

    /// <summary>
    /// Cancels the token of a transaction inside (<see cref="TransactionLease.CancellationToken"/>). The permit comes back when the transaction heeds it and disposes its lease. Callbacks of the token run on the caller's thread.
    /// </summary>
    /// <param name="id">Number of the transaction, from <see cref="GetLeases"/>.</param>
    /// <returns>False when no transaction of this number is inside any more.</returns>
    /// <exception cref="AggregateException">Callbacks of the token threw.</exception>
    public bool Cancel(long id)
    {
        if (_leases.ToList().Find(hold => hold.Id == id) is not { } found)
        {
            return false;
        }

        found.Cancel();
        return true;
    }

    /// <summary>State of the gate at this moment.</summary>
    public GateSnapshot GetSnapshot()
    {
        lock (_lock)
        {
            TimeSpan now = Now;
            return new GateSnapshot
            {
                Name = Name,
                MaxTransactions = _permits.Limit,
                Held = _permits.Held,
                Privileged = Volatile.Read(ref _privileged),
                Queued = _queued,
                OldestWait = _queued == 0 ? TimeSpan.Zero : now - OldestSince(),
                Admitted = _leases.Added,
                AdmittedPrivileged = Interlocked.Read(ref _admittedPrivileged),
                AdmittedAfterWait = _admittedAfterWait,
                Nested = Interlocked.Read(ref _nested),
                Cancelled = _cancelled,
                KickUps = _kickUps,
                Stalls = _stalls,
                HandlerFaults = Interlocked.Read(ref _handlerFaults),
                Refused = Enum.GetValues<RefusalReason>().ToDictionary(static reason => reason, reason => _refused[(int)reason]),
            };
        }
    }

    private static TransactionLeaseInfo Describe(LeaseHold hold, TimeSpan now) => new()
    {
        Id = hold.Id,
        Name = hold.Request.Name,
        Partition = hold.Request.Partition,
        Priority = hold.Request.Priority,
        Age = now - hold.Since,
        IsPrivileged = !hold.TakesPermit,
    };
}
