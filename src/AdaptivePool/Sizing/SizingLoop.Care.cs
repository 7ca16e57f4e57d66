using AdaptivePool.Internal;
using AdaptivePool.Workers;

namespace AdaptivePool.Sizing;

internal sealed partial class SizingLoop
{
    private readonly WakeAudit<RealSync> _audit;
    private TaskCompletionSource? _closed;
    private Func<bool>? _isDrained;
    private Action? _onClosed;
    private double _idleSince;
    private int _fewestIdle = int.MaxValue;
    private long _staying = int.MaxValue;
    private long _createdBefore;
    private bool _stopped;
    private bool _hasSafetyNet;

    /// <summary>Lost wakes found and healed by the audit. Anything but zero is a bug.</summary>
    public long Rescues => _audit.Rescues;

    /// <summary>Wakes that came late and were helped by the audit: whoever was on the way got no processor.</summary>
    public long LateWakes => _audit.LateWakes;

    /// <summary>Whether looks wake workers for work that waits; see <see cref="PoolSurroundings.HasSafetyNet"/>.</summary>
    public bool HasSafetyNet { get => Volatile.Read(ref _hasSafetyNet); set => Volatile.Write(ref _hasSafetyNet, value); }

    private bool IsClosing => Volatile.Read(ref _closed) is not null;

    /// <summary>Begins the end of the pool.</summary>
    /// <param name="isDrained">Tells whether all accepted work has ended; called by the sizing thread, again and again.</param>
    /// <param name="onClosed">Called at the end.</param>
    public Task Close(Func<bool> isDrained, Action onClosed)
    {
        var mine = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        // Before the end is published: the sizing thread may finish the moment it sees it. Several callers bring the same.
        Volatile.Write(ref _isDrained, isDrained);
        Volatile.Write(ref _onClosed, onClosed);

        // Pairs with itself: of several callers one closes, all wait for the same end. Pairs with IsClosing: what is written above is seen by whoever sees the
        // end.
        TaskCompletionSource? before = Interlocked.CompareExchange(ref _closed, mine, null);
        if (before is null)
        {
            _doze.Call();
        }

        return (before ?? mine).Task;
    }

    private bool TryFinish(double now)
    {
        bool isOver = _drain.IsOver(now);
        if (!_stopped)
        {
            if (!isOver && Volatile.Read(ref _isDrained)?.Invoke() != true)
            {
                return false;
            }

            _stopped = true;
            _set.Stop();
        }

        if (_set.Existing > 0 && !isOver)
        {
            _set.Retire(int.MaxValue);
            return false;
        }

        try
        {
            // No worker is looked at any more: gives back the files kept of their threads.
            _sampler.Observe(new Worker?[_set.Workers.Length], now);
            _starter.Stop();
            _budget.Leave();
            _memoryFile?.Dispose();
            Volatile.Read(ref _onClosed)?.Invoke();
        }
        catch (Exception exception)
        {
            // Whoever disposes the pool waits for this thread: it must not die here.
            _set.ReportFault(exception);
        }
        finally
        {
            _doze.Dispose();
            _closed!.SetResult();
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
