namespace AdaptivePool;

/// <summary>
/// Code that blocks workers. Counts and times are those of the waits that were looked at. Managed waits outside of scopes: the first eight of a class, then
/// one in 64, and each that takes more than 20 ms; all but the first eight at most 100 times per second and pool, 256 at once after a quiet time. Scopes: each
/// outermost one that ends after 20 ms or more. Sleeps and system calls, and managed waits that nobody looked at: those that go on now, and those that two
/// looks have found; looks are taken while work waits, and by each snapshot.
/// </summary>
public sealed record Blocker
{
    /// <summary>
    /// The program's own method that is nearest to the wait, as "Bank.LegacyClient.Get"; never one of a package. <see langword="null"/> where no stack can be
    /// seen (sleeps, system calls, scopes), and where all code on it is a package's or was made at run time, as that of a route handler which calls nothing of
    /// the program's.
    /// </summary>
    public string? Method { get; init; }

    /// <summary>How it blocks: "Task.Wait", "Task.Result", "GetAwaiter().GetResult()", "lock", "Monitor.Wait", "event", "SemaphoreSlim", "Thread.Join",
    /// "Thread.Sleep", "Blocking scope", "managed wait" or "system call NAME". In code that the compiler has
    /// inlined, "Task.Wait" may stand for the other ways to wait for a task.</summary>
    public required string Kind { get; init; }

    /// <summary>Reason of the <see cref="BlockingScope"/> it happened in.</summary>
    public string? Reason { get; init; }

    /// <summary>Work class of the items.</summary>
    public required string ClassName { get; init; }

    /// <summary>Workers that block here now.</summary>
    public required int Blocked { get; init; }

    /// <summary>Waits seen, present ones included. A wait on a condition can count twice: the second time for its lock.</summary>
    public required long Count { get; init; }

    /// <summary>Sum of their lengths.</summary>
    public required TimeSpan TotalTime { get; init; }

    /// <summary>The longest of them.</summary>
    public required TimeSpan LongestTime { get; init; }

    /// <summary>Where, in one phrase: "Bank.LegacyClient.Get (Task.Result)", or "class 'partner' (Thread.Sleep)" when the method is not known.</summary>
    public string Where => $"{Method ?? $"class '{ClassName}'"} ({Kind}{(Reason is null ? "" : $": {Reason}")})";
}
