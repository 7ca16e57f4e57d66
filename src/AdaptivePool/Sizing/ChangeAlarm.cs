using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>
/// Cuts what the kept size brings into windows for the alarm of a changed workload, which judges each signal against its own noise. A server's own swings
/// (2,500 to 5,500 per second on a database) fired an alarm with a fixed band every second or two.
/// </summary>
internal sealed class ChangeAlarm(ClassSizeSettings settings)
{
    private readonly WorkloadAlarmRule _rule = new(watchesSplit: false);
    private double _seconds;
    private double _cpuSeconds;
    private double _wallSeconds;
    private long _items;

    /// <summary>The throughput had fallen when the alarm was raised last.</summary>
    public bool Dropped => _rule.Shift < 0;

    /// <summary>Another size: its levels are to be learned.</summary>
    public void Reset()
    {
        _rule.Reset(keepNoise: true);
        Interrupt();
    }

    /// <summary>The kept size is not in force, or nothing waits: the window so far does not count.</summary>
    public void Interrupt() => (_seconds, _cpuSeconds, _wallSeconds, _items) = (0, 0, 0, 0);

    /// <summary>Adds what happened at the kept size; true when the alarm is raised.</summary>
    /// <param name="seconds">Time that passed.</param>
    /// <param name="items">Items that completed.</param>
    /// <param name="c">The class.</param>
    public bool Add(double seconds, long items, in ClassObservation c)
    {
        // Time in which its workers ran or waited for a core. Not the CPU time of the process: compiling ends after some seconds, and that is no change of the
        // work.
        _seconds += seconds;
        _items += items;
        _cpuSeconds += (1 - c.BlockedShare + settings.AlarmCpuFloor) * c.Active * seconds;
        _wallSeconds += c.Active * seconds;

        // A window that never fills up is a slow workload: after ten times its length it counts as it is.
        if (_seconds < settings.AlarmWindow.TotalSeconds || (_items < settings.AlarmItems && _seconds < 10 * settings.AlarmWindow.TotalSeconds))
        {
            return false;
        }

        PoolSample window = new()
        {
            Elapsed = TimeSpan.FromSeconds(_seconds),
            Completions = _items,
            Target = 1,
            MinTarget = 1,
            MaxTarget = 1,
            Active = (int)Math.Round(_wallSeconds / _seconds),
            WorkerCpuSeconds = _cpuSeconds,
        };
        Interrupt();
        return _rule.Observe(window) != WorkloadAlarmRule.Signals.None;
    }
}
