namespace AdaptivePool;

/// <summary>
/// Shortest time between two thread starts, by the number of threads alive: a table as database thread pools have it. A pool in which no thread is alive always
/// starts one at once.
/// </summary>
public sealed class ThreadCreationThrottle
{
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(60);
    private readonly ThreadCreationStep[] _steps;

    /// <summary>Creates a table.</summary>
    /// <param name="steps">
    /// Steps, the one with the fewest threads first; one at least. A step holds from its number of threads up to that of the next; below the first there is no
    /// wait.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="steps"/> is null.</exception>
    /// <exception cref="ArgumentException">There is no step, or a step does not have more threads than the one before.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A step's threads are below 1, or its interval is not zero to 60 s.</exception>
    public ThreadCreationThrottle(params IReadOnlyList<ThreadCreationStep> steps)
    {
        ArgumentNullException.ThrowIfNull(steps);
        if (steps.Count == 0)
        {
            throw new ArgumentException("A table needs one step at least.", nameof(steps));
        }

        int before = 0;
        foreach (ThreadCreationStep step in steps)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(step.Threads, 1, nameof(steps));
            ArgumentOutOfRangeException.ThrowIfLessThan(step.Interval, TimeSpan.Zero, nameof(steps));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(step.Interval, s_longest, nameof(steps));
            if (step.Threads <= before)
            {
                throw new ArgumentException(
                    $"A step from {step.Threads} threads on cannot follow one from {before} on: allowed are rising numbers.", nameof(steps));
            }

            before = step.Threads;
        }

        _steps = [.. steps];
    }

    /// <summary>
    /// The table of Percona's thread pool, and of MariaDB's but for its last step: no wait below 4 threads, 50 ms below 8, 100 ms below 16, then 200 ms.
    /// </summary>
    public static ThreadCreationThrottle Databases { get; } = new(
        new(4, TimeSpan.FromMilliseconds(50)),
        new(8, TimeSpan.FromMilliseconds(100)),
        new(16, TimeSpan.FromMilliseconds(200)));

    /// <summary>The steps, the one with the fewest threads first.</summary>
    public IReadOnlyList<ThreadCreationStep> Steps => _steps;

    /// <summary>Shortest time between two starts.</summary>
    /// <param name="threads">Threads alive, those that are being started included.</param>
    public TimeSpan IntervalAt(int threads)
    {
        TimeSpan interval = TimeSpan.Zero;
        foreach (ThreadCreationStep step in _steps)
        {
            interval = threads >= step.Threads ? step.Interval : interval;
        }

        return interval;
    }

    /// <summary>How long the next start must wait.</summary>
    /// <param name="threads">Threads alive, those that are being started included.</param>
    /// <param name="sinceLast">Time since the last start.</param>
    internal TimeSpan WaitFor(int threads, TimeSpan sinceLast)
    {
        TimeSpan interval = threads < 1 ? TimeSpan.Zero : IntervalAt(threads);
        return interval > sinceLast ? interval - sinceLast : TimeSpan.Zero;
    }
}
