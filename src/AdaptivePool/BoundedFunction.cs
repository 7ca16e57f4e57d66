namespace AdaptivePool;

/// <summary>
/// What the bound of a class knows about a task. It is the state of that task and is kept as long as the task, so it does not contain the function. A
/// task in a queue can be ended by its own code only, so that code asks the bound when it begins. Where a worker that waits for the task runs it, the task's
/// entry in the queue no longer counts.
/// </summary>
internal sealed class BoundedFunction(QueueBound bound)
{
    [ThreadStatic]
    private static BoundedFunction? t_inlined;

    private readonly long _queuedAt = Stopwatch.GetTimestamp();
    private int _steps;

    /// <summary>
    /// Sets the function that begins next on the calling thread, if it begins there at all, and that has an entry in the queue; <see langword="null"/> for
    /// none.
    /// </summary>
    public static BoundedFunction? Inlined { set => t_inlined = value; }

    /// <summary>Called once, when the turn of the task has come and the task had run, was cancelled before, or has just been cancelled by its own
    /// code.</summary>
    public void Pass()
    {
        // Pairs with Begin. Each of the two comes once: the second one takes back what the first has counted, or knows that nothing is to be counted.
        if (Interlocked.Increment(ref _steps) == 2)
        {
            bound.EntryPassed();
        }
    }

    /// <summary>Called when the function begins.</summary>
    /// <exception cref="WorkRefusedException">The function has waited too long.</exception>
    public void Begin()
    {
        if (ReferenceEquals(t_inlined, this))
        {
            t_inlined = null;

            // Pairs with Pass.
            if (Interlocked.Increment(ref _steps) == 1)
            {
                bound.EntryLeft();
            }
        }

        if (bound.Begin(_queuedAt) is { } late)
        {
            throw late;
        }
    }
}
