namespace AdaptivePool.Sizing;

/// <summary>Chooses the next size of the ramp and judges a measured gain (rules 10f and 10g).</summary>
internal static class RampStepRule
{
    // Gain that keeps a step up to SmallSize. It is ln 0.7: the step is kept unless it is clearly worse. While the process compiles a window of 0.1 s cannot
    // tell. Half of the cold starts on a database read 2 to 4 as -0.28 to 0.08 and stayed at 2 threads for seconds, at 0.6 of the rate of 8. A few threads
    // too many cost little, and the controller looks below later.
    private static readonly double s_smallGain = Math.Log(0.7);

    // Step of a class that waits while its own items seem to fill the CPU. Counters of idle CPU read a machine that switches threads as full before the knee
    // is reached. The step is kept only by its gain.
    private const double FullStep = 1.5;

    /// <summary>A smaller step is inside the noise of its own measurement.</summary>
    public const double SmallestStep = 1.1;

    // Largest step, above the small sizes, of a class that does not wait long. Its server may be the bottleneck and remembers an overshoot.
    private const double MostOfServer = 2;

    // Threads beyond the knee of a class that waits, in square roots of the knee. N threads that wait for 99 % of their time keep the cores busy only on
    // average; square-root staffing (Halfin and Whitt 1981) keeps them busy nearly always, with a few threads more. The second value bounds it to a share of
    // a small knee.
    private const double StaffingFactor = 1.5;
    private const double MostStaffing = 0.15;

    // Share of the promised gain that keeps a step above the small sizes.
    private const double GainShare = 0.5;

    // The same where only the gain can tell how far to go: the machine cannot be read, or others fill the server, and one count of a few slow items is rough.
    private const double GainShareOfUnclear = 0.25;

    // A database of the same cores answers eight callers in 5 to 12 ms, and in 0.3 to 1 s when 256 other callers fill it.
    private const double SlowSeconds = 0.1;

    // CPU of a class as a multiple of the CPU that its workers use themselves. A blocking call may cause as much again on other threads. A sleep causes
    // little, and a ramp of sleepers that takes compiling for its own work stops at half of the knee.
    private const double WaitersFactor = 2;
    private const double SleepersFactor = 1.25;

    /// <summary>The next size to try from a verified one.</summary>
    /// <param name="c">The class.</param>
    /// <param name="m">The machine, over the measurement.</param>
    /// <param name="kept">The kept size, and its measured rate.</param>
    /// <param name="waits">The class waits long, and for nothing that slows down (<see cref="KindRule.Waits"/>): idle cores are room for it.</param>
    /// <param name="mayGrow">False while the class reads as a hog.</param>
    /// <param name="settings">Constants.</param>
    /// <returns>The size and the reason; <see langword="null"/> when there is none.</returns>
    public static SizeProposal? Next(
        in ClassObservation c, in MachineObservation m, KeptSize kept, bool waits, bool mayGrow, ClassSizeSettings settings)
    {
        int verified = kept.Size;
        int bound = mayGrow ? settings.MaxLimit : Math.Min(settings.MaxLimit, c.HogLimit);
        int demand = UsedSizeRule.DemandCap(c);
        if (bound <= verified || demand <= verified)
        {
            return null;
        }

        double small = Small(c, m, verified);
        double most = waits ? Math.Max(ClassSizeSettings.MaxStep * verified, Wished(c, verified, settings)) : MostOfServer * verified;
        double u = Utilisation(c, m, waits);
        double model = double.IsNaN(u) ? 0 : verified / Math.Max(u, 1e-6);
        model = waits ? Staffed(model) : model;
        bool useModel = m.IdleShare >= ClassSizeSettings.IdleFloor && model >= SmallestStep * verified && model > small
            && (waits || verified >= c.SmallSize);
        double wanted = useModel ? Math.Min(model, most) : small;
        // A CPU that is full because of others: waiting costs no CPU. A CPU that is full because of this class is a knee.
        bool fullByOthers = !IsFullByWaiters(c, m, ClassSizeSettings.LoanOwnShare);
        double share = kept.IsCrowded && m.IdleShare < ClassSizeSettings.IdleFloor ? ClassSizeSettings.ShareSize : 0;
        bool isSlow = waits || IsSlow(c, kept.Service);

        // Sleepers burden nobody: they get the full step for any queue, because what waits may be one item that queues the next when it runs.
        bool sleeps = KindRule.NearlyAllSleep(c.SleepingShare);
        if (!useModel && (isSlow || share > verified) && (sleeps ? demand : c.Demand) >= SmallestStep * verified)
        {
            // A queue of half the size earns a doubling (a crowded class a step up to its share). A shorter queue earns a last step to all items that wait.
            double step = !fullByOthers ? FullStep
                : sleeps ? ClassSizeSettings.MaxStep
                : Math.Clamp(share / verified, isSlow ? 2 : 1, ClassSizeSettings.MaxStep);
            wanted = Math.Max(wanted, sleeps || c.Queued * 2L > verified ? step * verified : isSlow ? c.Demand : Math.Min(c.Demand, share));
        }

        bool isWished = waits && Wished(c, verified, settings) > wanted;
        wanted = isWished ? settings.Wished : wanted;

        // Rounded up: 1 x 1.39 must not be 1 again.
        int next = (int)Math.Min(Math.Min(bound, demand), Math.Ceiling(wanted));
        if (next <= verified)
        {
            return null;
        }

        return new SizeProposal(next, useModel && model < most && !isWished ? DecisionReason.ModelJump : DecisionReason.Ramp);
    }

    /// <summary>
    /// Own / (own + idle). For a class that waits, the CPU that counts as its own is at most what its workers can have used: compiling and collecting at the
    /// start would hide the idle half of the machine. NaN when not known.
    /// </summary>
    public static double Utilisation(in ClassObservation c, in MachineObservation m, bool waits) =>
        waits ? m.UtilisationOf(WaitersCores(c, m)) : m.UtilisationOf(c);

    /// <summary>Number of threads that keep the cores busy nearly always, where the given number keeps them busy on average.</summary>
    public static double Staffed(double knee) => knee + Math.Min(StaffingFactor * Math.Sqrt(knee), MostStaffing * knee);

    /// <summary>Whether a class that waits uses the given share of the CPU itself.</summary>
    public static bool IsFullByWaiters(in ClassObservation c, in MachineObservation m, double share) =>
        m.Known && WaitersCores(c, m) >= share * Math.Max(1, m.Cores);

    /// <summary>The cores are full because of others, and the class waits for nearly all of its time.</summary>
    /// <param name="c">The class.</param>
    /// <param name="m">The machine, over the measurement.</param>
    public static bool IsFullByOthers(in ClassObservation c, in MachineObservation m) =>
        m.IdleShare < ClassSizeSettings.IdleFloor && !IsFullByWaiters(c, m, ClassSizeSettings.LoanOwnShare) && KindRule.WaitsLong(c, SlowSeconds);

    /// <summary>Whether a measured gain keeps a step.</summary>
    /// <param name="gain">Natural logarithm of the ratio of the rates.</param>
    /// <param name="from">The verified size.</param>
    /// <param name="to">The size on trial, or the part of it that was used.</param>
    /// <param name="isUnclear">Whether only the gain can tell: CPU use cannot be read, or others fill the server.</param>
    /// <param name="small">Size up to which steps are small, in threads.</param>
    public static bool Keeps(double gain, int from, double to, bool isUnclear, int small) =>
        gain >= (to <= small ? s_smallGain : (isUnclear ? GainShareOfUnclear : GainShare) * Math.Log(Math.Max(1, to / from)));

    // A server that fills the cores has no use for more callers, whichever callers fill them. A server that leaves a few callers waiting for so long is
    // filled by others, and each caller has a share of it.
    private static bool IsSlow(in ClassObservation c, double service) => KindRule.WaitsLong(c, service) && service > SlowSeconds;

    // Applies once, from a few threads. A size that a measurement has found has precedence.
    private static int Wished(in ClassObservation c, int verified, ClassSizeSettings settings) => verified <= c.SmallSize ? settings.Wished : 0;

    // Without a sampled blocked share the class itself may have filled the CPU. Then the size stays within the limit of hogs (rule R6).
    private static double Small(in ClassObservation c, in MachineObservation m, int verified)
    {
        // Where the machine cannot be read only the gain can tell.
        int most = !m.Known ? int.MaxValue
            : double.IsNaN(c.BlockedShare) && m.IdleShare < ClassSizeSettings.IdleFloor ? Math.Min(c.HogLimit, c.SmallSize) : c.SmallSize;
        return Math.Max(verified, Math.Min(2d * verified, most));
    }

    private static double WaitersCores(in ClassObservation c, in MachineObservation m)
    {
        if (double.IsNaN(c.BlockedShare))
        {
            return m.OwnCoresOf(c);
        }

        double beyond = KindRule.MostSleep(c.SleepingShare) ? SleepersFactor : WaitersFactor;
        return Math.Min(m.OwnCoresOf(c), beyond * (1 - c.BlockedShare) * c.Active);
    }
}
