namespace AdaptivePool.Guests;

/// <summary>
/// When all threads of the runtime's pool are held up, and how many threads it is lent then. The continuation of an await of a guest that is not looked at may
/// block there, and the pool cannot see whose it is. The number of lent threads doubles with each look until the queue moves.
/// </summary>
internal sealed class HeldPoolRule
{
    /// <summary>Threads that are lent at most. Where more are held up, only the runtime's own pace is left.</summary>
    public const int MostLent = 512;

    /// <summary>This many are more than a burst: code blocks there.</summary>
    private const int ManyLent = 64;

    /// <summary>How long the queue stands still until a thread is lent, where the system does not report what threads do: they may compute.</summary>
    public static readonly TimeSpan Unknown = TimeSpan.FromMilliseconds(50);

    /// <summary>How long the queue has to move until nothing is lent any more.</summary>
    public static readonly TimeSpan Moving = TimeSpan.FromSeconds(1);

    private TimeSpan _moving;
    private long _completed;

    /// <summary>Threads that are lent now.</summary>
    public int Lent { get; private set; }

    /// <summary>How long the queue has stood still.</summary>
    public TimeSpan Age { get; private set; }

    /// <summary>Whether the pool would be starved if nothing were lent, which is worth a warning.</summary>
    public bool IsStarved => Lent >= ManyLent;

    /// <summary>Takes a look at the queue.</summary>
    /// <param name="elapsed">Time since the look before.</param>
    /// <param name="collected">How much of that time the process stood still for collections.</param>
    /// <param name="completed">Items that the pool has completed so far.</param>
    /// <param name="pending">Reads how many items wait. Called only where none was completed, because it looks into the queue of each thread.</param>
    /// <returns>Whether the queue has stood still for so long that the threads must be looked at.</returns>
    public bool Suspects(TimeSpan elapsed, TimeSpan collected, long completed, Func<long> pending)
    {
        bool stands = completed == _completed && pending() > 0;
        _completed = completed;
        Age = GuestAgeRule.Age(Age, stands, elapsed, collected);

        // Where items take some milliseconds each, some looks see none completed.
        bool isLong = Age >= GuestAgeRule.Long;
        _moving = isLong ? TimeSpan.Zero : GuestAgeRule.Age(_moving, isSame: true, elapsed, collected);
        Lent = _moving < Moving ? Lent : 0;
        return isLong && Lent < MostLent;
    }

    /// <summary>Takes a look at the threads, while the queue stands still.</summary>
    /// <param name="threads">Threads of the pool; 0 where the system does not report them.</param>
    /// <param name="asleep">Those of them that sleep. A thread that does not sleep will take the next item.</param>
    /// <param name="pending">Items that wait.</param>
    /// <param name="spare">Threads that the pool has above its own minimum: a loan of fewer changes nothing.</param>
    /// <returns>Whether all threads are held up.</returns>
    public bool Observe(int threads, int asleep, long pending, int spare)
    {
        if (threads > 0 ? asleep < threads : Age < Unknown)
        {
            return false;
        }

        int step = threads > 0 ? Math.Max(Lent, 1) : 1;
        Lent = (int)Math.Min(MostLent, Math.Max(Lent, spare) + Math.Min(step, pending));
        Age = threads > 0 ? Age : TimeSpan.Zero;
        return true;
    }
}
