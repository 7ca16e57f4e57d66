namespace AdaptivePool;

/// <summary>
/// Code that blocks workers. Counts and times include only the waits that the pool inspected. Managed waits outside of scopes: the first eight of a class, then
/// one in 64, and each wait that takes more than 20 ms; after the first eight, at most 100 per second and pool, or 256 at once after a quiet time. Scopes: each
/// outermost scope that ends after 20 ms or more. Sleeps, system calls and managed waits that were not inspected: those in progress now, and those that two
/// looks at the workers have found. The pool looks at the workers while work waits, and for each snapshot.
/// </summary>
public sealed record Blocker
{
    /// <summary>
    /// The method of your program that is nearest to the wait, such as "Bank.LegacyClient.Get"; never a method of a package. <see langword="null"/> if the pool
    /// cannot read the stack (sleeps, system calls, scopes), or if all code on the stack belongs to packages or was generated at run time, such as a route
    /// handler that calls no code of the program.
    /// </summary>
    public string? Method { get; init; }

    /// <summary>
    /// The kind of wait: "Task.Wait", "Task.Result", "GetAwaiter().GetResult()", "lock", "Monitor.Wait", "event", "SemaphoreSlim", "Thread.Join",
    /// "Thread.Sleep", "Blocking scope", "managed wait", "system call NAME" or "(other)", for all that are more than 192. In code that the compiler has
    /// inlined, "Task.Wait" may stand for the other ways to wait for a task.
    /// </summary>
    public required string Kind { get; init; }

    /// <summary>The reason of the <see cref="BlockingScope"/> in which the code blocks.</summary>
    public string? Reason { get; init; }

    /// <summary>The work class of the items.</summary>
    public required string ClassName { get; init; }

    /// <summary>The number of workers that block here now.</summary>
    public required int Blocked { get; init; }

    /// <summary>
    /// The number of waits that were seen, including those in progress. A wait on a condition can count twice: once for the condition and once for its lock.
    /// </summary>
    public required long Count { get; init; }

    /// <summary>The total time of these waits.</summary>
    public required TimeSpan TotalTime { get; init; }

    /// <summary>The time of the longest of these waits.</summary>
    public required TimeSpan LongestTime { get; init; }

    /// <summary>The location in one phrase: "Bank.LegacyClient.Get (Task.Result)", or "class 'partner' (Thread.Sleep)" if the method is not known.</summary>
    public string Where => $"{Method ?? $"class '{ClassName}'"} ({Kind}{(Reason is null ? "" : $": {Reason}")})";
}
