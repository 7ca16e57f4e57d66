using System.Threading.RateLimiting;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Admission;

/// <remarks>The transactions inside the gate, for administrators and dashboards, the alarm for a stalled gate, and what it warns of.</remarks>
public sealed partial class TransactionGate
{
    private readonly WarningHandlers _warned;

    /// <summary>
    /// Raised when <see cref="TransactionGateOptions.DecisionLogFile"/> cannot be used, or can no longer be used; the gate continues without the file. Also
    /// raised when an adaptive gate fails to look for its limit, such as where an assembly is missing; the limit stays as it is until a look succeeds. The
    /// handler gets a text that names the problem. Each is raised once. Handlers run on a thread of the gate and must return quickly. A warning from before
    /// there was a handler is passed to the first handler when it is added, on the thread that adds it. <see cref="GateSnapshot.HandlerFaults"/> counts
    /// handlers that throw.
    /// </summary>
    public event EventHandler<string>? Warned
    {
        add
        {
            _warned.Told += value;
            _warned.TellAgain();
        }

        remove => _warned.Told -= value;
    }

    /// <summary>
    /// Raised when the gate looks stalled: a request waits, and no transaction has ended for <see cref="TransactionGateOptions.StallAfter"/> since the first
    /// request waited, even if earlier waits have ended without success. It is raised once until a transaction ends. Handlers run on a thread of the gate and
    /// must return quickly. <see cref="GateSnapshot.HandlerFaults"/> counts handlers that throw. A handler, or a person whom it notifies, may raise
    /// <see cref="PermitLimit"/> or <see cref="Cancel"/> leases.
    /// </summary>
    public event EventHandler<GateStalledEventArgs>? Stalled;

    /// <summary>
    /// Requests a lease, and blocks the calling thread until it gets one. For synchronous code only;
    /// <see cref="AcquireAsync(TransactionRequest, CancellationToken)"/> holds no thread. If the thread is interrupted, it stops waiting, but its place in the
    /// queue stays until the gate decides. A permit that it would then have got is returned.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">A token that cancels the wait. The request then leaves the queue without a trace.</param>
    /// <returns>The same as <see cref="AcquireAsync(TransactionRequest, CancellationToken)"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The priority is not a defined value.</exception>
    /// <exception cref="ObjectDisposedException">The gate is disposed.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ThreadInterruptedException">The thread was interrupted while it waited.</exception>
    public RateLimitLease Acquire(TransactionRequest request, CancellationToken cancellationToken = default)
    {
        ValueTask<RateLimitLease> asked = AcquireAsync(request, cancellationToken);
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
            // No other code could dispose the lease.
            _ = GiveBackAsync(answer);
            throw;
        }
    }

    /// <summary>Gets the transactions inside the gate. The one that has been inside longest is first.</summary>
    /// <param name="olderThan">The minimum time inside; the list leaves out younger transactions. Default zero: all transactions.</param>
    public IReadOnlyList<TransactionLeaseInfo> GetLeases(TimeSpan olderThan = default) => [.. Core.GetLeases().Where(info => info.Age >= olderThan)];

    /// <summary>
    /// Cancels the token of a transaction inside the gate (<see cref="TransactionLease.CancellationToken"/>). The permit is returned when the transaction
    /// reacts to the token and disposes its lease. Callbacks of the token run on the caller's thread. A token is cancelled once: another call for the same
    /// transaction runs no callbacks again, so it does not cancel a statement once more whose cancellation did not reach the server.
    /// </summary>
    /// <param name="id">The number of the transaction, from <see cref="GetLeases"/>.</param>
    /// <returns>False if no transaction with this number is inside any more; true also if it was cancelled before.</returns>
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

    /// <summary>Gets the state of the gate at this moment.</summary>
    public GateSnapshot GetSnapshot() => Core.GetSnapshot();

    /// <summary>
    /// Refuses the callers that have waited too long, raises the alarm, and returns the time until the next look; <see langword="null"/> when no caller
    /// waits.
    /// </summary>
    internal TimeSpan? Look()
    {
        TimeSpan? next = Core.Look(out TimeSpan? stalledFor, out int queued);
        if (stalledFor is { } duration && Stalled is { } told)
        {
            told.Call(this, new GateStalledEventArgs(duration, queued, GetLeases()), CountFault);
        }

        return next;
    }

    private void CountFault(Exception exception) => Core.CountHandlerFault();

    private static async Task GiveBackAsync(Task<RateLimitLease> answer)
    {
        await ((Task)answer).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (answer.IsCompletedSuccessfully)
        {
            (await answer.ConfigureAwait(false)).Dispose();
        }
    }
}
