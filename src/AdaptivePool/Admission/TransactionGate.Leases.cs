using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <remarks>Who is inside, for administrators and dashboards; and the alarm.</remarks>
public sealed partial class TransactionGate
{
    /// <summary>
    /// The gate looks stalled: a caller waits, and no transaction has ended for <see cref="TransactionGateOptions.StallAfter"/> since the first one waited,
    /// also when earlier waits have ended in vain. Raised once until one ends, on a thread of the gate: a handler must return quickly; what it throws is
    /// counted in <see cref="GateSnapshot.HandlerFaults"/>. A handler, or whoever it calls, may raise <see cref="PermitLimit"/> or <see cref="Cancel"/> leases.
    /// </summary>
    public event EventHandler<GateStalledEventArgs>? Stalled;

    /// <summary>
    /// Asks for a lease, and waits for it with the calling thread. For synchronous code only: <see cref="AcquireAsync(TransactionRequest, CancellationToken)"/>
    /// holds no thread.
    /// A thread that is interrupted leaves, but its place in the queue stays until the answer comes; a permit it would have got goes back then.
    /// </summary>
    /// <param name="request">Who asks.</param>
    /// <returns>As <see cref="AcquireAsync(TransactionRequest, CancellationToken)"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The priority is none of those defined.</exception>
    /// <exception cref="ObjectDisposedException">The gate is disposed.</exception>
    /// <exception cref="ThreadInterruptedException">The thread was interrupted while it waited.</exception>
    public RateLimitLease Acquire(TransactionRequest request)
    {
        ValueTask<RateLimitLease> asked = AcquireAsync(request);
        if (asked.IsCompletedSuccessfully)
        {
            return asked.Result;
        }

        Task<RateLimitLease> answer = asked.AsTask();
        try
        {
            return answer.GetAwaiter().GetResult();
        }
        catch
        {
            // Nobody else could dispose it.
            _ = GiveBackAsync(answer);
            throw;
        }
    }

    /// <summary>The transactions inside, the one that has been inside longest first.</summary>
    /// <param name="olderThan">Leaves out those that have been inside for a shorter time. Default zero: all.</param>
    public IReadOnlyList<TransactionLeaseInfo> GetLeases(TimeSpan olderThan = default) => [.. Core.GetLeases().Where(info => info.Age >= olderThan)];

    /// <summary>
    /// Cancels the token of a transaction inside (<see cref="TransactionLease.CancellationToken"/>). The permit comes back when the transaction heeds it and
    /// disposes its lease. Callbacks of the token run on the caller's thread.
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
        try
        {
            if (stalledFor is { } duration)
            {
                Stalled?.Invoke(this, new GateStalledEventArgs(duration, queued, GetLeases()));
            }
        }
        catch (Exception)
        {
            // A handler's fault must not end the thread that ends the waits.
            Core.CountHandlerFault();
        }

        return next;
    }

    /// <summary>Lets the adaptive limit look, for gates that are not watched.</summary>
    internal TimeSpan? LookAtLimit() => Core.LimitLoop?.Look();

    private static async Task GiveBackAsync(Task<RateLimitLease> answer)
    {
        await ((Task)answer).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (answer.IsCompletedSuccessfully)
        {
            (await answer.ConfigureAwait(false)).Dispose();
        }
    }
}
