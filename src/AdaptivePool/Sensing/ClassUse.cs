namespace AdaptivePool.Sensing;

/// <summary>What was seen of a class's workers: how many are busy and how many sleep, at the last look; where their time went, in sums that fade.</summary>
internal sealed class ClassUse
{
    /// <summary>Sums under this many seconds are given up, because each look goes over all that are left.</summary>
    private const double Nothing = 1e-7;

    // A few times the grain of the CPU clocks: less wall time says nothing. Where there are no scheduler files the clocks may be those of Windows, in steps of
    // 15.6 ms.
    private static readonly double s_least = ScheduleFile.IsSupported ? 0.004 : 0.06;

    private double _cpu;
    private double _delay;
    private double _wall;

    public int Busy { get; private set; }

    public double Sleeping { get; private set; }

    /// <summary>Those of them whose wait is declared, or for a task as the hook saw: certain at once, not only after a while.</summary>
    public double WaitingForTasks { get; private set; }

    /// <summary>Workers that have declared their wait.</summary>
    public int Declared { get; private set; }

    public ItemAges Ages { get; } = new();

    public double SleepingShare => Busy == 0 ? 0 : Math.Clamp(Sleeping / Busy, 0, 1);

    public double TaskWaitShare => Busy == 0 ? 0 : Math.Clamp(WaitingForTasks / Busy, 0, 1);

    public double DeclaredShare => Busy == 0 ? 0 : (double)Declared / Busy;

    /// <summary>CPU that its workers were seen to use, in seconds; NaN when none was seen.</summary>
    public double Cpu { get; private set; } = double.NaN;

    /// <summary>Share of the sampled wall time that was neither CPU nor run delay; NaN when too little is known.</summary>
    public double BlockedShare => _wall > s_least ? Math.Clamp(1 - ((_cpu + _delay) / _wall), 0, 1) : double.NaN;

    /// <summary>Counts a busy worker.</summary>
    /// <param name="age">How long it has had its item, in seconds.</param>
    /// <param name="waits">Whether it is seen to wait.</param>
    /// <param name="sleeping">How much of it counts as asleep, 0 to 1.</param>
    /// <param name="forTask">How much of it waits for a task.</param>
    /// <param name="isDeclared">Whether it has declared its wait.</param>
    public void Add(double age, bool waits, double sleeping, double forTask, bool isDeclared)
    {
        Busy++;
        Declared += isDeclared ? 1 : 0;
        Sleeping += sleeping;
        WaitingForTasks += forTask;
        Ages.Add(age, waits);
    }

    /// <summary>Adds the time by which a worker's clocks have gone on, in seconds.</summary>
    /// <param name="cpu">Its CPU time.</param>
    /// <param name="delay">Its run delay; NaN when not known. Then the wall time is not known either.</param>
    /// <param name="wall">Wall time without that of collections: a worker that waits for one is not blocked.</param>
    public void AddTime(double cpu, double delay, double wall)
    {
        Cpu = double.IsNaN(Cpu) ? cpu : Cpu + cpu;
        if (!double.IsNaN(delay))
        {
            _cpu += cpu;
            _delay += delay;

            // Not more where CPU and delay are more: a delay is booked when it ends, so the next window has too little of it.
            _wall += wall;
        }
    }

    /// <summary>Begins the next look: busy workers are counted anew, and the sums of the time fade.</summary>
    /// <param name="keep">The share that stays.</param>
    /// <returns>Whether what is left of them says something.</returns>
    public bool Fade(double keep)
    {
        (Busy, Sleeping, WaitingForTasks, Declared) = (0, 0, 0, 0);
        Ages.Clear();
        (Cpu, _cpu, _delay, _wall) = (Cpu * keep, _cpu * keep, _delay * keep, _wall * keep);
        if (Cpu >= Nothing || _wall >= Nothing)
        {
            return true;
        }

        (Cpu, _cpu, _delay, _wall) = (double.NaN, 0, 0, 0);
        return false;
    }
}
