namespace AdaptivePool.Guests;

/// <summary>
/// When all threads of the runtime's pool are held up, and how many it is lent then. What follows an await of a guest that nobody looks at may block there, and
/// nobody sees whose it is. The number that is lent doubles with each look until the queue moves.
/// </summary>
internal sealed class HeldPoolRule
{
    /// <summary>Threads that are lent at most: where more are held up, the runtime's own pace is left.</summary>
    public const int MostLent = 512;

    /// <summary>So many are more than a burst: code blocks there.</summary>
    private const int ManyLent = 64;

    /// <summary>For how long the queue has to move until nothing is lent any more.</summary>
    public static readonly TimeSpan Moving = TimeSpan.FromSeconds(1);

    /// <summary>For how long the queue stands still until threads count as held up that do not all sleep, or of which the system does not tell.</summary>
    public static readonly TimeSpan Unknown = TimeSpan.FromMilliseconds(50);

    private TimeSpan _moving;
    private long _completed;

    /// <summary>Threads that are lent now.</summary>
    public int Lent { get; private set; }

    /// <summary>For how long the queue has stood still.</summary>
    public TimeSpan Age { get; private set; }

    /// <summary>Whether the pool would be starved if nothing were lent, which is worth a warning.</summary>
    public bool IsStarved => Lent >= ManyLent;

    /// <summary>Takes a look at the queue.</summary>
    /// <param name="elapsed">Time since the look before.</param>
    /// <param name="collected">How much of it the process stood still, for collections.</param>
    /// <param name="completed">Items that the pool has completed so far.</param>
    /// <param name="pending">Items that wait.</param>
    /// <returns>Whether the queue stands still for so long that the threads are to be looked at, which takes a system call for each.</returns>
    public bool Suspects(TimeSpan elapsed, TimeSpan collected, long completed, long pending)
    {
        bool stands = pending > 0 && completed == _completed;
        _completed = completed;
        Age = GuestAgeRule.Age(Age, stands, elapsed, collected);
        _moving = stands ? TimeSpan.Zero : _moving + elapsed;
        Lent = _moving < Moving ? Lent : 0;
        return Age >= GuestAgeRule.Long && Lent < MostLent;
    }

    /// <summary>Takes a look at the threads, while the queue stands still.</summary>
    /// <param name="threads">Threads of the pool; 0 where the system does not tell.</param>
    /// <param name="asleep">Those of them that sleep.</param>
    /// <param name="pending">Items that wait.</param>
    /// <returns>Whether all are held up.</returns>
    public bool Observe(int threads, int asleep, long pending)
    {
        // One that computes will take the next item soon, or a core is what it waits for. If it takes none for long, the items behind it are worth a thread.
        bool isHeld = (threads > 0 && asleep == threads) || Age >= Unknown;
        Lent = isHeld ? (int)Math.Min(MostLent, Lent + Math.Min(Math.Max(Lent, 1), pending)) : Lent;
        return isHeld;
    }
}
