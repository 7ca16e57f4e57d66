namespace AdaptivePool.Guests;

/// <summary>
/// When a guest counts as long: it was seen in the same request over several looks that came in time, and slept or computed meanwhile. On a full machine a
/// thread that waits for a core is seen as long, too, and is not to blame.
/// </summary>
internal static class GuestAgeRule
{
    /// <summary>Time between two looks.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromMilliseconds(5);

    /// <summary>A guest that sleeps or computes for this time is long. Two periods: a wait for a lock is shorter.</summary>
    public static readonly TimeSpan Long = TimeSpan.FromMilliseconds(10);

    /// <summary>A look that comes this late counts as one in time: the process stood still, as in a collection, or this thread did not get the CPU.</summary>
    public static readonly TimeSpan Late = TimeSpan.FromMilliseconds(12);

    /// <summary>Age of the request that runs in a slot.</summary>
    /// <param name="before">Age at the look before.</param>
    /// <param name="isSame">Whether the same request ran then.</param>
    /// <param name="elapsed">Time since the look before.</param>
    /// <param name="collected">How much of that time the process stood still for collections: a thread that waits for one sleeps, and is not to blame.</param>
    public static TimeSpan Age(TimeSpan before, bool isSame, TimeSpan elapsed, TimeSpan collected)
    {
        TimeSpan ran = elapsed > collected ? elapsed - collected : TimeSpan.Zero;
        return !isSame ? TimeSpan.Zero : before + (ran >= Late ? Period : ran);
    }

    /// <summary>The same where the system does not report what a thread does.</summary>
    public static readonly TimeSpan LongUnknown = TimeSpan.FromMilliseconds(100);

    /// <summary>Whether it matters yet that a guest's thread sleeps.</summary>
    /// <param name="age">For how long it has been seen.</param>
    /// <param name="mayWait">Whether guests of its class wait briefly: those on a full machine often wait for some ten milliseconds.</param>
    public static bool AsksForSleep(TimeSpan age, bool mayWait) => age >= (mayWait ? LongUnknown : Long);

    /// <summary>Whether a guest is long.</summary>
    /// <param name="age">For how long it has been seen.</param>
    /// <param name="cpuSeconds">CPU time that its thread has used meanwhile, in seconds; NaN when not known.</param>
    /// <param name="isAsleep">Whether its thread sleeps; null when not known, or where <see cref="AsksForSleep"/> says that it does not matter.</param>
    public static bool IsLong(TimeSpan age, double cpuSeconds, bool? isAsleep) =>
        age >= LongUnknown ? !(isAsleep is false && cpuSeconds < Long.TotalSeconds)
        : age >= Long && (isAsleep is true || cpuSeconds >= Long.TotalSeconds);

    /// <summary>A guest of a class that waits briefly shows by sleeping for this time that its class does not. A stall of a database is shorter.</summary>
    public static readonly TimeSpan Stuck = TimeSpan.FromSeconds(1);

    /// <summary>
    /// This many long guests for each core show the same. A stall holds up as many as the runtime's pool has threads, and the threads that it is lent
    /// meanwhile.
    /// </summary>
    private const int MostLongPerCore = 8;

    /// <summary>Whether a long guest costs its class the trust. In both cases, the runtime's pool is lent a thread.</summary>
    /// <param name="age">For how long it has been seen.</param>
    /// <param name="cpuSeconds">As in <see cref="IsLong"/>.</param>
    /// <param name="mayWait">As in <see cref="AsksForSleep"/>.</param>
    /// <param name="held">Guests that are long now, with this one.</param>
    /// <param name="cores">Cores of the machine.</param>
    public static bool LosesTrust(TimeSpan age, double cpuSeconds, bool mayWait, int held, int cores) =>
        !mayWait || cpuSeconds >= Long.TotalSeconds || age >= Stuck || held > MostLongPerCore * cores;

    /// <summary>
    /// This many long guests for each core are a stall of single processes of a database, which get no core for a while: of 16 connections on two full cores
    /// one to three, once in some ten seconds.
    /// </summary>
    private const int MostStalledPerCore = 2;

    /// <summary>
    /// Whether long guests of a class that waits briefly send its requests to workers: otherwise each request would hold the thread that is lent for the one
    /// before.
    /// </summary>
    /// <param name="held">Guests that are long now.</param>
    /// <param name="cores">Cores of the machine.</param>
    public static bool HoldsUp(int held, int cores) => held > MostStalledPerCore * cores;

    /// <summary>Whether as many guests wait at once as there are cores: the runtime's pool may have no thread left for others.</summary>
    public static bool IsCrowd(int waiting, int cores) => waiting >= Math.Max(1, cores);
}
