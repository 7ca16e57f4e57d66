namespace AdaptivePool.Housekeeping;

/// <summary>
/// How many workers are to end, down to a minimum: half of several that were idle at every look of a quarter of the idle time, and all that were idle at every
/// look of the whole. So most of a burst's threads are gone soon, in steps too small to be felt, and some wait for the next burst. Workers that were told to
/// end are still counted among the existing ones until they have ended, and must not make others end in their place.
/// </summary>
internal sealed class RetirementRule(TimeSpan idleTimeout)
{
    /// <summary>Steps in the idle time.</summary>
    private const int Steps = 4;

    // The fewest workers that were idle in each of the last steps, less those that have been told to end since.
    private readonly int[] _fewest = new int[Steps];
    private double _stepSince;
    private int _fewestIdle = int.MaxValue;
    private int _step;

    // Workers that exist beyond these and those that came since have been told to end.
    private long _staying = int.MaxValue;
    private long _createdBefore;

    private double StepSeconds => idleTimeout.TotalSeconds / Steps;

    /// <summary>Takes a look. At the end of a step it returns how many workers are to end.</summary>
    /// <param name="now">Time of the look, in seconds.</param>
    /// <param name="idle">Workers that sleep and have not been told to end.</param>
    /// <param name="existing">Workers that have not ended.</param>
    /// <param name="created">Workers that were ever created.</param>
    /// <param name="minThreads">Workers that stay.</param>
    public int Look(double now, int idle, int existing, long created, int minThreads)
    {
        _fewestIdle = Math.Min(_fewestIdle, idle);
        if (now - _stepSince < StepSeconds)
        {
            return 0;
        }

        int staying = Staying(existing, created);
        int ends = Ends(staying - minThreads);
        (_staying, _createdBefore) = (staying, created);
        Begin(now);
        return ends;
    }

    /// <summary>Skips the look at the end of a step that would end no worker. Called when all workers sleep, so that no thread is woken for nothing.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="existing">Workers that have not ended.</param>
    /// <param name="created">Workers that were ever created.</param>
    /// <param name="minThreads">Workers that stay.</param>
    public void Rest(double now, int existing, long created, int minThreads)
    {
        int superfluous = Staying(existing, created) - minThreads;
        if (now >= _stepSince && superfluous > 0 && Ends(superfluous) == 0)
        {
            // The number cannot grow. Workers that are needed until then count for the next step.
            Begin(_stepSince + StepSeconds);
        }
    }

    /// <summary>Workers that have not been told to end.</summary>
    /// <param name="existing">Workers that have not ended.</param>
    /// <param name="created">Workers that were ever created.</param>
    public int Staying(int existing, long created) => existing - (int)Math.Max(0, existing - _staying - (created - _createdBefore));

    /// <summary>Notes how many workers were told to end.</summary>
    public void Told(int count)
    {
        _staying -= count;
        for (int i = 0; i < Steps; i++)
        {
            _fewest[i] = Math.Max(0, _fewest[i] - count);
        }
    }

    /// <summary>Seconds until the step is over.</summary>
    public double SecondsLeft(double now) => StepSeconds - (now - _stepSince);

    private void Begin(double at)
    {
        _step = (_step + 1) % Steps;
        (_stepSince, _fewestIdle) = (at, int.MaxValue);
    }

    // How many are to end if the step is over now.
    private int Ends(int superfluous)
    {
        _fewest[_step] = _fewestIdle;
        int atOnce = superfluous;
        foreach (int fewest in _fewest)
        {
            // A loop: the framework's minimum is one of vectors, and is compiled for milliseconds before its first use.
            atOnce = Math.Min(atOnce, fewest);
        }

        // A lone worker waits for the whole time: a burst leaves one more than it needs, and a wake costs as much as the end of one worker frees.
        int half = Math.Min(_fewestIdle, superfluous) is > 1 and var many ? (many + 1) / 2 : 0;
        return Math.Max(0, Math.Max(atOnce, half));
    }
}
