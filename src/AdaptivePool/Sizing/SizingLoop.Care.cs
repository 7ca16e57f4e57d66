using AdaptivePool.Dispatch;
using AdaptivePool.Housekeeping;
using AdaptivePool.Internal;

namespace AdaptivePool.Sizing;

internal sealed partial class SizingLoop
{
    private readonly WakeAudit<RealSync> _audit;
    private readonly RetirementRule _retirement;
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

    /// <summary>Ends the threads that <see cref="RetirementRule"/> says.</summary>
    private void RetireIdle(double now)
    {
        int superfluous = _retirement.Look(now, _set.Idle.Count, _set.Existing, _set.ThreadsCreated, MinThreads);
        if (superfluous > 0)
        {
            _retirement.Told(_set.Retire(superfluous));
        }
    }

    private TimeSpan UntilRetirement(double now) =>
        _set.Existing > MinThreads
            ? TimeSpan.FromSeconds(Math.Max(0.001, _retirement.SecondsLeft(now)))
            : Timeout.InfiniteTimeSpan;
}
