using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>
/// The thread that ends waits which have lasted too long. Started when first somebody waits, asleep while nobody does; not a timer, because timers fire on the
/// runtime's pool, which may be what is overloaded.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="name">Name of the gate.</param>
/// <param name="look">Looks, and says when to look again; <see langword="null"/> when somebody will tell.</param>
/// <param name="end">The last thing that the thread does, so that nobody waits for a look that is under way.</param>
internal sealed class WaitMonitor<TSync>(string name, Func<TimeSpan?> look, Action? end = null)
    where TSync : struct, ISync
{
    /// <summary>A wait rounded down to nothing would make the thread spin.</summary>
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1);
    private readonly object _monitor = new();
    private bool _isAwake;
    private bool _isStopped;

    /// <summary>Whether there is a thread. Under the gate's lock.</summary>
    public bool IsStarted { get; set; }

    /// <summary>Somebody's wait ends earlier than the thread knows. Under the gate's lock.</summary>
    /// <returns>False when there is no thread and none could be created: the next one that waits tries again.</returns>
    public bool Wake()
    {
        if (!IsStarted)
        {
            try
            {
                TSync.Start(Run, name + " gate", stackSize: 0);
            }
            catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
            {
                // The one that waits has its place already, and is let in when a permit comes back; only the end of its wait is late.
                return false;
            }

            IsStarted = true;
        }

        Rouse(isLast: false);
        return true;
    }

    /// <summary>Ends the thread.</summary>
    public void Dispose()
    {
        Rouse(isLast: true);
        if (!IsStarted)
        {
            end?.Invoke();
        }
    }

    /// <summary>What the thread does.</summary>
    public void Run()
    {
        while (true)
        {
            TimeSpan? next = look();
            TSync.Enter(_monitor);
            try
            {
                // What was said while it looked, it has not seen: it looks again.
                if (!_isAwake && !_isStopped)
                {
                    TSync.Wait(_monitor, next is null ? Timeout.InfiniteTimeSpan : next.Value > s_shortest ? next.Value : s_shortest);
                }

                _isAwake = false;
                if (_isStopped)
                {
                    break;
                }
            }
            finally
            {
                TSync.Exit(_monitor);
            }
        }

        end?.Invoke();
    }

    private void Rouse(bool isLast)
    {
        TSync.Enter(_monitor);
        _isAwake = true;
        _isStopped |= isLast;
        TSync.Pulse(_monitor);
        TSync.Exit(_monitor);
    }
}
