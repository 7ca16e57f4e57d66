namespace AdaptivePool.Sizing;

/// <summary>
/// Bounds and constants of a class's sizing. The constants were found on real threads in front of a real PostgreSQL with 2 cores; each says what it guards.
/// Shares are fractions of the allowed cores, gains natural logarithms.
/// </summary>
internal sealed record ClassSizeSettings
{
    /// <summary>
    /// Cores the process may use. Follows the machine while the class lives: a quota or an affinity mask can change at any time, and all who hold these
    /// settings see it at once.
    /// </summary>
    public required int Cores { get; set; }

    /// <summary>Limit of a class nothing is known about. Default: <see cref="Cores"/>.</summary>
    public int StartLimit { get => field > 0 ? field : Math.Max(1, Cores); init; }

    /// <summary>
    /// What the user wants a class to have before anything was measured; 0 for no wish. It is the first step of a class that waits for nobody who minds: below
    /// that nobody would be helped, and a server keeps the connections that so many have opened.
    /// </summary>
    public int Wished { get; init; }

    /// <summary>Lowest limit. Default 1.</summary>
    public int MinLimit { get; init; } = 1;

    /// <summary>Highest limit. Default 32,767, the runtime pool's own maximum.</summary>
    public int MaxLimit { get; init; } = 32_767;

    /// <summary>How long a class must have been empty until nobody counts as connected to it. Default 60 s, that of the pool's idle threads.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>Name of the class in traces.</summary>
    public string Name { get; init; } = "";

    /// <summary>Items of the class continue work that has started: a stall holds up others, so what it is lent always doubles at the sleepers' pace.</summary>
    public bool InFlight { get; init; }

    /// <summary>How long nothing must complete for threads to be lent, fixed by the user; null: what follows from the service times.</summary>
    public TimeSpan? StallLimit { get; init; }

    /// <summary>From this own CPU on nothing is lent but to sleepers: the process is busy, not blocked.</summary>
    public double LoanOwnShare { get; init; } = 0.6;

    /// <summary>Idle CPU under which only others are busy: ten times the wait.</summary>
    public double LoanIdleShare { get; init; } = 0.2;

    /// <summary>
    /// Shortest wait for items that never complete before a size is judged without them, and they count as stuck; or 3 x the long service time if that is
    /// longer.
    /// </summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>A longer time between two ticks means that the pool slept: nothing was waiting, and no measurement may reach across it.</summary>
    public TimeSpan Pause { get; init; } = TimeSpan.FromSeconds(0.5);

    /// <summary>Largest ramp step. 4 costs 0.1 to 0.2 s at 20 ms per item and is the cheapest insurance found.</summary>
    public double MaxStep { get; init; } = 4;

    /// <summary>Doublings are tried whatever the CPU says up to this many times the cores.</summary>
    public int SmallSizeFactor { get; init; } = 4;

    /// <summary>
    /// Gain that keeps a step up to <see cref="SmallSize"/>: ln 0.7, so unless it is clearly worse. While the process compiles a window of 0.1 s cannot tell:
    /// half of the cold starts on a database read 2 to 4 as -0.28 to 0.08 and stayed at 2 threads for seconds, at 0.6 of the rate of 8. Too many by a few cost
    /// little, and the controller looks below later.
    /// </summary>
    public double SmallGain { get; init; } = Math.Log(0.7);

    /// <summary>
    /// How long a size below <see cref="SmallSize"/> is measured while work waits before it is doubled without a measurement. 0.5 s: a database that 256
    /// others keep full answers two threads twice a second, and two measurements of that take ten seconds; a warm item of less than 0.1 s is measured by then.
    /// </summary>
    public TimeSpan UnprovenTime { get; init; } = TimeSpan.FromSeconds(0.5);

    /// <summary>Idle share under which the model N / utilisation holds no information.</summary>
    public double IdleFloor { get; init; } = 0.08;

    /// <summary>
    /// Over how long CPU use is averaged before it lets a class that does not wait long take a step: half a second holds 17 windows of the idle counters.
    /// </summary>
    public TimeSpan MachineMemory { get; init; } = TimeSpan.FromSeconds(0.5);

    /// <summary>A trial that brings less than this share of the verified rate is refused before it is settled.</summary>
    public double WorseShare { get; init; } = 0.7;

    /// <summary>
    /// How often a verified size that suddenly brings less than <see cref="WorseShare"/> is measured again before that counts: a server that writes a
    /// checkpoint is slow and leaves the CPU idle, and a step taken then seems to help.
    /// </summary>
    public int SlowLooks { get; init; } = 8;

    /// <summary>Two generations agree within this ratio less one.</summary>
    public double SettledTolerance { get; init; } = 0.25;

    /// <summary>
    /// The same for steps above <see cref="SmallSize"/> of a class whose service time says nothing: a warming process must not pass for a gain.
    /// </summary>
    public double LargeStepTolerance { get; init; } = 0.12;

    /// <summary>First window of a generation at a small size. Windows of 10 to 30 ms read 1,400 to 5,500 per second for one size.</summary>
    public TimeSpan SmallWindow { get; init; } = TimeSpan.FromMilliseconds(60);

    /// <summary>First window above <see cref="SmallSize"/> when the service time says nothing.</summary>
    public TimeSpan LargeWindow { get; init; } = TimeSpan.FromMilliseconds(150);

    /// <summary>Growth of the window after each disagreement.</summary>
    public double WindowGrowth { get; init; } = 1.5;

    /// <summary>Longest window.</summary>
    public TimeSpan MaxWindow { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>No limit stands beyond this many times what is used, and no probe beyond this many times the verified size.</summary>
    public double UsedFactor { get; init; } = 1.25;

    /// <summary>
    /// No probe of the hold controller falls below this share of a kept size up to <see cref="SmallSize"/> (rounded): at 2 threads one less is half the
    /// throughput. Nor of any size whose threads wait for nobody: a quarter of those that sleep brings a quarter, which cost 3 to 4 % of the first six
    /// seconds of 400 clients.
    /// </summary>
    public double ProbeFloor { get; init; } = 0.75;

    /// <summary>
    /// The same of a larger size behind which a server may stand. A quarter: from far above the best size smaller steps take minutes, and a server may be
    /// better off at once.
    /// </summary>
    public double ServerProbeFloor { get; init; } = 0.25;

    /// <summary>How long a size that the ramp has just verified is left alone before the controller probes around it.</summary>
    public TimeSpan FreshRest { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The same for a class that does not wait long: the server behind it remembers what was probed, and its rate swings by a third from one tenth of a second
    /// to the next.
    /// </summary>
    public TimeSpan ServerRest { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Shortest sample for the controller of such a class. Samples of 0.1 s read 220 to 2,300 per second at one size.</summary>
    public TimeSpan ServerSample { get; init; } = TimeSpan.FromSeconds(0.5);

    /// <summary>
    /// Step of a class that waits while its own items seem to fill the CPU. Counters of idle CPU read a machine that switches threads as full before the knee
    /// is reached; the step is kept only by its gain.
    /// </summary>
    public double FullStep { get; init; } = 1.5;

    /// <summary>Fewest items of a window of the change alarm.</summary>
    public int AlarmItems { get; init; } = 60;

    /// <summary>
    /// Shortest window of the change alarm. 0.2 s: twelve of them teach it a level in 2.4 s; a change in the third second of a class is seen in the fifth, and
    /// half of that length raised a tenth more false alarms at a noise of 30 to 50 %.
    /// </summary>
    public TimeSpan AlarmWindow { get; init; } = TimeSpan.FromSeconds(0.2);

    /// <summary>Share of a worker's time that is added to what it computes before that is compared: below 5 % a doubling is no change worth a search.</summary>
    public double AlarmCpuFloor { get; init; } = 0.05;

    /// <summary>
    /// Share of the time that looking at other sizes may cost a class behind which a server may stand, once a size is verified. 0.015 of the 0.02 that may
    /// be lost; the rest is for what noise makes look better.
    /// </summary>
    public double LossShare { get; init; } = 0.015;

    /// <summary>
    /// The time whose share may be spent at once, right after a size was verified: a single trial is a large share of a short time. A minute.
    /// </summary>
    public TimeSpan LossGrace { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>Waits before a refused step is tried again: while the process compiles, 2 to 4 and 4 to 8 read as gains of 0.05 to 0.09.</summary>
    public IReadOnlyList<TimeSpan> Retries { get; init; } = [TimeSpan.FromSeconds(0.4), TimeSpan.FromSeconds(1.5), TimeSpan.FromSeconds(6)];

    /// <summary>Size up to which steps are small, in threads.</summary>
    public int SmallSize => SmallSizeFactor * Math.Max(1, Cores);

    /// <summary>Limit of CPU hogs, in threads.</summary>
    public int HogLimit => Math.Max(1, Cores) + 1;

    /// <summary>How long to wait for items that may never complete.</summary>
    public TimeSpan PatienceFor(double longServiceSeconds)
    {
        double seconds = Math.Max(Patience.TotalSeconds, 3 * Math.Min(longServiceSeconds, 3600));
        return TimeSpan.FromSeconds(seconds);
    }
}
