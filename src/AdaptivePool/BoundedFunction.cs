namespace AdaptivePool;

/// <summary>
/// What the bound of its class knows of a task; the state of that task, which is kept as long as the task is, so the function is no part of it. Nobody can end
/// a task that waits in a queue but its own code, so that asks the bound when it begins. And where a worker that waits for the task runs it, what stands in the
/// queue counts no more.
/// </summary>
internal sealed class BoundedFunction(QueueBound bound)
{
    [ThreadStatic]
    private static BoundedFunction? t_inlined;

    private readonly long _queuedAt = Stopwatch.GetTimestamp();
    private int _steps;

    /// <summary>
    /// Says which function begins next on the calling thread if it begins there at all, and that it stands in the queue; <see langword="null"/> for none.
    /// </summary>
    public static BoundedFunction? Inlined { set => t_inlined = value; }

    /// <summary>The turn of the task has come, and it had run, was cancelled before, or has just been cancelled by its own code. Once.</summary>
    public void Pass()
    {
        // Pairs with Begin, each of which comes once: the second of the two takes back what the first has counted, or knows that nothing is to be counted.
        if (Interlocked.Increment(ref _steps) == 2)
        {
            bound.EntryPassed();
        }
    }

    /// <summary>The function begins.</summary>
    /// <exception cref="WorkRefusedException">It has waited too long.</exception>
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
