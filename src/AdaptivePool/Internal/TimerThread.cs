namespace AdaptivePool.Internal;

/// <summary>
/// A thread that looks at something when it has said it would, or earlier when it is woken. Started when it is first woken, asleep while there is nothing to
/// look at; not a timer, because timers fire on the runtime's pool, which may be what is overloaded.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="name">Name of the thread.</param>
/// <param name="look">Looks, and says when to look again; <see langword="null"/> when it will be told.</param>
/// <param name="end">The last thing that the thread does, so that nobody waits for a look that is under way.</param>
internal sealed class TimerThread<TSync>(string name, Func<TimeSpan?> look, Action? end = null) : IDisposable
    where TSync : struct, ISync
{
    /// <summary>A wait rounded down to nothing would make the thread spin.</summary>
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1);
    private readonly Bell<TSync> _bell = new();
    private bool _isStopped;

    /// <summary>Whether there is a thread. Written by one caller at a time.</summary>
    public bool IsStarted { get; set; }

    /// <summary>There is something to look at earlier than the thread knows. One caller at a time.</summary>
    /// <returns>False when there is no thread and none could be created: the next caller tries again.</returns>
    public bool Wake()
    {
        if (!IsStarted)
        {
            try
            {
                TSync.Start(Run, name, stackSize: 0);
            }
            catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
            {
                // Nothing is lost: what it would have looked at is looked at late.
                return false;
            }

            IsStarted = true;
        }

        _bell.Ring();
        return true;
    }

    /// <summary>Ends the thread.</summary>
    public void Dispose()
    {
        // Published by the ring: the thread sees it when this ends its wait, the present one or the next.
        TSync.RelaxedWrite(ref _isStopped, true);
        _bell.Ring();
        if (!IsStarted)
        {
            end?.Invoke();
        }
    }

    /// <summary>What the thread does.</summary>
    public void Run()
    {
        do
        {
            // What is said while it looks, it has not seen: the bell is rung, and it looks again.
            TimeSpan? next = look();
            _bell.Wait(next is null ? Timeout.InfiniteTimeSpan : next.Value > s_shortest ? next.Value : s_shortest);
        }
        while (!TSync.RelaxedRead(ref _isStopped));
        end?.Invoke();
    }
}
