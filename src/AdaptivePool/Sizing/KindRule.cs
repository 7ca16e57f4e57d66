namespace AdaptivePool.Sizing;

/// <summary>
/// Decides what kind of work a class does, and so what a step up may cost it. All thresholds for shares of waiting and sleeping workers are here. A
/// standstill is judged by one look (<see cref="MostSleep"/>), because it exists now. The kind itself is judged more slowly, because it decides what may be
/// tried.
/// </summary>
internal sealed class KindRule
{
    // Rule R6. Loops of 50 ms and 1.5 s read 0 to 0.1, transactions 0.7 and more; the gap keeps a class at the border from flapping.
    private const double BurnsBelow = 0.15;
    private const double BurnsNoMoreAbove = 0.25;

    // In a mixture of all kinds of blocking a quarter reads from sockets, and up to half of the workers that slept wait for a core where the cores are full.
    // A class before a server reads as 0 to 0.1.
    private const double MostSleepFrom = 0.5;
    private const double NearlyAllFrom = 0.75;

    // Measured over the last tenth of a second. Eight workers that load a driver and connect read 0.5 to 1 asleep at single looks, and 0.83 to 0.91 blocked;
    // 200 that sleep from the start read 1 and 1, also on a machine that others use.
    private const double SleptFromTheStart = 0.95;

    // Above this blocked share throughput is size over service time.
    private const double MostlyBlockedFrom = 0.9;
    private const double LongSeconds = 0.005;

    // A garbage collection, or a burst of compiling, reads like burning for a moment.
    private static readonly TimeSpan s_lasting = TimeSpan.FromSeconds(1);

    // The system books a run delay only when the delay ends. On a full machine a worker that waits for a core looks blocked until then.
    private static readonly TimeSpan s_booked = TimeSpan.FromMilliseconds(300);

    // On full cores most of the workers that slept wait for a core at once. Of two workers a single one that happens to hold a lock is half.
    private static readonly TimeSpan s_memory = TimeSpan.FromSeconds(0.5);

    private TimeSpan? _burnsSince;

    // TimeSpan.MaxValue while the class does not read as blocked; null while it is not known whether it is blocked.
    private TimeSpan? _blockedSince;

    // By how much more than half of the workers slept over the last moments; null before the first look.
    private double? _sleeping;

    /// <summary>Largest variation of the service time of even items.</summary>
    public static double EvenVariation => 0.25;

    /// <summary>What the class does.</summary>
    public WorkKind Kind => _burnsSince is not null ? WorkKind.Burns
        : !MayHaveServer ? WorkKind.Sleeps
        : _blockedSince is not null ? WorkKind.Serves
        : WorkKind.Unknown;

    /// <summary>The class burns: no growth past cores + 1.</summary>
    public bool Burns => Kind == WorkKind.Burns;

    /// <summary>The class has burnt for long enough to take a verified size away.</summary>
    /// <param name="now">Time of the tick.</param>
    public bool BurnsLasting(TimeSpan now) => now - _burnsSince >= s_lasting;

    /// <summary>A server may stand behind the class. A step up is careful and rare, because a server remembers it.</summary>
    public bool MayHaveServer => !(_sleeping >= 0);

    /// <summary>Half of the workers sleep at this look.</summary>
    public static bool MostSleep(double sleepingShare) => sleepingShare >= MostSleepFrom;

    /// <summary>Nearly all workers sleep: their number is a size to be measured.</summary>
    public static bool NearlyAllSleep(double sleepingShare) => sleepingShare >= NearlyAllFrom;

    /// <summary>
    /// Nearly all workers sleep before the first of their items has ended, and have done hardly anything else. A worker that opens connections also stands
    /// for a moment in locks of code that is being loaded.
    /// </summary>
    public static bool SleepsFromTheStart(in ClassObservation c) =>
        NearlyAllSleep(c.SleepingShare) && (WaitForTasks(c) || !(c.BlockedShare < SleptFromTheStart));

    /// <summary>Nearly all workers were seen to enter a wait for a task, or have declared their wait.</summary>
    public static bool WaitForTasks(in ClassObservation c) => c.TaskWaitShare >= NearlyAllFrom;

    /// <summary>Nearly all workers have declared their wait, and most are not seen to compute nevertheless. Many threads that start at once wait for a
    /// core.</summary>
    public static bool SleepAsDeclared(in ClassObservation c) => c.DeclaredShare >= NearlyAllFrom && !(c.BlockedShare < MostSleepFrom);

    /// <summary>Too many workers were not blocked over the last tenth of a second: a worker that is seen to sleep may be waiting for a core.</summary>
    public static bool ReadsAsRunning(in ClassObservation c) => c.BlockedShare < NearlyAllFrom;

    /// <summary>More than half of the workers are proven to be blocked.</summary>
    public static bool IsProvenBlocked(in ClassObservation c) => c.BlockedShare >= MostSleepFrom;

    /// <summary>The class waits, and waits long. Its throughput is its size over its service time.</summary>
    /// <param name="c">The class.</param>
    /// <param name="meanService">Mean service time, in seconds.</param>
    public static bool WaitsLong(in ClassObservation c, double meanService)
    {
        // The blocked share looks back a tenth of a second and may include compiling. Workers that are seen to sleep now need only half of it.
        bool asleep = NearlyAllSleep(c.SleepingShare) && !(c.BlockedShare < MostSleepFrom);
        return meanService > LongSeconds && (asleep || c.BlockedShare > MostlyBlockedFrom);
    }

    /// <summary>A step up costs the class nothing that stays: no server is behind it, or it waits so long and evenly that the rate of a size is known at
    /// once.</summary>
    public bool StepsFreely(in ClassObservation c) => !MayHaveServer || Waits(c, c.Generation.MeanService);

    /// <summary>
    /// The class waits long, and for nothing that slows down: idle cores are room for it. Items before a server with too many callers take as long and wait
    /// as much, but unevenly. The use of the cores then does not tell what more of these items would bring.
    /// </summary>
    /// <param name="c">The class.</param>
    /// <param name="service">Mean service time at the kept size, in seconds.</param>
    public bool Waits(in ClassObservation c, double service) => WaitsLong(c, service) && (!MayHaveServer || c.Generation.Variation <= EvenVariation);

    /// <summary>Takes one look. A value that the look does not know changes nothing.</summary>
    /// <param name="c">The class, its stuck workers included.</param>
    /// <param name="m">The machine.</param>
    public void Observe(in ClassObservation c, in MachineObservation m)
    {
        double elapsed = c.Elapsed.TotalSeconds;
        if (c.Active == 0)
        {
            return;
        }

        double keep = Math.Exp(-elapsed / s_memory.TotalSeconds);
        double weight = Math.Min(elapsed, s_memory.TotalSeconds);
        _sleeping = weight > 0 ? (keep * (_sleeping ?? 0)) + (weight * (c.SleepingShare - MostSleepFrom)) : _sleeping;
        if (NearlyAllSleep(c.SleepingShare))
        {
            // A worker that sleeps does not burn. Hundreds of workers that wake together wait for a core for a while, and that reads like burning.
            (_burnsSince, _blockedSince) = (null, _blockedSince is null ? null : TimeSpan.MaxValue);
        }
        else if (!double.IsNaN(c.BlockedShare))
        {
            ObserveBurning(c, m.IdleShare < ClassSizeSettings.LoanIdleShare);
        }
    }

    private void ObserveBurning(in ClassObservation c, bool isFull)
    {
        if (c.BlockedShare > BurnsNoMoreAbove)
        {
            TimeSpan since = _blockedSince < c.Now ? _blockedSince.Value : c.Now;
            _burnsSince = isFull && c.Now - since < s_booked ? _burnsSince : null;
            _blockedSince = since;
        }
        else
        {
            _blockedSince = TimeSpan.MaxValue;
            _burnsSince = c.BlockedShare < BurnsBelow ? _burnsSince ?? c.Now : _burnsSince;
        }
    }
}
