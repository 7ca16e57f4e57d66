using System.Globalization;

namespace AdaptivePool.Runtime;

/// <summary>When the runtime's pool counts as starved, what the report of it says, and when there is nothing to look at.</summary>
internal sealed class RuntimePoolRule
{
    /// <summary>
    /// While it starves, the runtime's pool adds a thread every half second. Work that has waited for two of them waits for more than a burst.
    /// </summary>
    private const double StarvedSeconds = 1;

    /// <summary>Items between two looks that an app without users has: timers, and items of the server.</summary>
    private const long FewItems = 8;

    /// <summary>Looks without use after which there is nothing to look at: three seconds. Each look wakes a process that does nothing.</summary>
    private const int QuietLooks = 6;

    private const double LeastSeconds = 0.001;

    private double _waited;
    private double _congested;
    private long _completed;
    private int _quiet;

    /// <summary>
    /// How long an item waits in that pool, in seconds. A probe alone is not enough: it is in the shared queue, which a thread that was added takes from
    /// first, while what blocked tasks have queued is behind it, in queues of their threads. So the delay is what the probe has waited, or what the whole
    /// queue takes at the present pace, as far as that has lasted for that long.
    /// </summary>
    public double Delay { get; private set; }

    public bool IsStarved => Delay >= StarvedSeconds;

    public bool IsQuiet => _quiet >= QuietLooks && !IsStarved;

    /// <summary>
    /// Whether a probe would show anything: only while other code uses that pool. A probe alone starts threads there, five in a process that had none.
    /// </summary>
    public bool WantsProbe { get; private set; }

    /// <summary>
    /// How much of the time since the last look counts, in seconds. A look that comes late counts as one in time: the process stood still, or this thread did
    /// not get the CPU. Starvation shows in the look after it.
    /// </summary>
    /// <param name="passed">Time since the last look.</param>
    /// <param name="period">Time between two looks.</param>
    public static double Counted(TimeSpan passed, TimeSpan period) => Math.Clamp(passed.TotalSeconds, LeastSeconds, period.TotalSeconds);

    /// <summary>Takes a look.</summary>
    /// <param name="elapsed">Time since the last look, in seconds, more than zero, without time in which the process stood still.</param>
    /// <param name="answered">How long the probe waited, in seconds; <see langword="null"/> while it still does, and where there is none.</param>
    /// <param name="completed">Items that the pool has completed so far.</param>
    /// <param name="pending">Items that wait.</param>
    /// <param name="hasProbe">Whether there is a probe.</param>
    public void Observe(double elapsed, double? answered, long completed, long pending, bool hasProbe = true)
    {
        bool waits = hasProbe && answered is null;
        _waited += hasProbe ? elapsed : 0;

        // The probe's own clock runs on while the process stands still.
        double probe = Math.Min(answered ?? _waited, _waited);
        _waited = waits ? _waited : 0;
        long ended = completed - _completed;
        _completed = completed;
        double perSecond = ended / elapsed;
        _congested = pending > perSecond * StarvedSeconds ? _congested + elapsed : 0;
        Delay = Math.Max(probe, perSecond > 0 ? Math.Min(_congested, pending / perSecond) : _congested);
        _quiet = waits || pending > FewItems || ended > FewItems ? 0 : _quiet + 1;
        WantsProbe = pending > 0 || ended > (answered is null ? 0 : 1);
    }

    /// <summary>Called when a pool of this process is used.</summary>
    public void WakeUp() => _quiet = 0;

    /// <summary>The message about a starved pool, in one line: what is seen, where, and what to do.</summary>
    /// <param name="delaySeconds">How long its work waits.</param>
    /// <param name="threads">Its threads; 0 where they are not known.</param>
    /// <param name="asleep">Those of them that sleep.</param>
    /// <param name="place">The program's method that most of the waiting work belongs to; <see langword="null"/> where none is seen.</param>
    public static string Message(double delaySeconds, int threads, int asleep, string? place)
    {
        string what = threads == 0 ? ""
            : 2 * asleep > threads ? string.Create(CultureInfo.InvariantCulture, $", {asleep} of its {threads} threads sleep in code that blocks")
            : string.Create(CultureInfo.InvariantCulture, $", {threads - asleep} of its {threads} threads compute");
        string where = place is null ? "" : $", most of the program's work that waits there is {place}";
        return string.Create(CultureInfo.InvariantCulture, $"The runtime's thread pool is starved: work waits {delaySeconds:0.##} s there{what}{where}. ")
            + "The server reads requests there, so all of them wait. Code in Task.Run, after ConfigureAwait(false), in hosted services or "
            + "in timers must not block there: run it with AdaptiveThreadPool.Run, or use await. "
            + "This warning appears once; WatchRuntimePool = false turns it off";
    }
}
