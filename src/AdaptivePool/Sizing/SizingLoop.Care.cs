using AdaptivePool.Dispatch;
using AdaptivePool.Housekeeping;
using AdaptivePool.Internal;

namespace AdaptivePool.Sizing;

internal sealed partial class SizingLoop
{
    private readonly WakeAudit<RealSync> _audit;
    private double _idleSince;
    private int _fewestIdle = int.MaxValue;
    private long _staying = int.MaxValue;
    private long _createdBefore;
    private bool _hasSafetyNet;

    /// <summary>Lost wakes found and healed by the audit. Anything but zero is a bug.</summary>
    public long Rescues => _audit.Rescues;

    /// <summary>Wakes that came late and were helped by the audit: whoever was on the way got no processor.</summary>
    public long LateWakes => _audit.LateWakes;

    /// <summary>Whether looks wake workers for work that waits; see <see cref="PoolSurroundings.HasSafetyNet"/>.</summary>
    public bool HasSafetyNet { get => Volatile.Read(ref _hasSafetyNet); set => Volatile.Write(ref _hasSafetyNet, value); }

    /// <summary>Begins the end of the pool.</summary>
    /// <returns>A task that ends when all is over.</returns>
    public Task Close() => _end.Close(_doze.Call);

    private bool TryFinish(double now)
    {
        if (!_end.TryFinish(_drain.IsOver(now)))
        {
            return false;
        }

        try
        {
            // No worker is looked at any more: gives back the files kept of their threads.
            _sampler.Observe(new Worker?[_set.Workers.Length], now);
            _starter.Stop();
            _budget.Leave();
            _end.TellOver();
        }
        catch (Exception exception)
        {
            // Whoever disposes the pool waits for this thread: it must not die here.
            _set.ReportFault(exception);
        }
        finally
        {
            _doze.Dispose();
            _end.Complete();
        }

        return true;
    }

    /// <summary>Threads that were idle all through <see cref="AdaptivePoolOptions.IdleTimeout"/> end, down to the minimum.</summary>
    private void RetireIdle(double now)
    {
        _fewestIdle = Math.Min(_fewestIdle, _set.Idle.Count);
        if (now - _idleSince < _options.IdleTimeout.TotalSeconds)
        {
            return;
        }

        // Those that were told to end are still counted until they have.
        int existing = _set.Existing;
        long created = _set.ThreadsCreated;
        int staying = existing - (int)Math.Max(0, existing - _staying - (created - _createdBefore));
        int superfluous = Math.Min(_fewestIdle, staying - MinThreads);
        if (superfluous > 0)
        {
            _staying = staying - _set.Retire(superfluous);
            _createdBefore = created;
        }

        _idleSince = now;
        _fewestIdle = int.MaxValue;
    }

    private TimeSpan UntilRetirement(double now) =>
        _set.Existing > MinThreads
            ? TimeSpan.FromSeconds(Math.Max(0.001, _options.IdleTimeout.TotalSeconds - (now - _idleSince)))
            : Timeout.InfiniteTimeSpan;
}
