namespace AdaptivePool.Sizing;

/// <summary>
/// Compares what the base size brings with what it used to: throughput, CPU per item and wall time per CPU time. Throughput alone is blind to work that turns from waiting into computing. Three windows in a row in
/// which one of them has left its level mean that the workload has changed. Windows are long because a server's own swings (2,500 to 5,500 per second on a database) fired a shorter alarm every second or two.
/// </summary>
internal sealed class ChangeAlarmRule(ClassSizeSettings settings)
{
    private readonly Signal _rate = new();
    private readonly Signal _cpuPerItem = new();
    private readonly Signal _wallPerCpu = new();
    private double _seconds;
    private double _cpuSeconds;
    private double _wallSeconds;
    private long _items;

    /// <summary>Throughput of the last full window lay below the reference.</summary>
    public bool Dropped => _rate.Last < _rate.Level;

    /// <summary>Forgets the windows and takes a new reference; NaN: the first window gives it.</summary>
    public void Reset(double reference)
    {
        _rate.Reset(reference);
        _cpuPerItem.Reset(double.NaN);
        _wallPerCpu.Reset(double.NaN);
        Interrupt();
    }

    /// <summary>The base size is not in force, or nothing waits: the window so far does not count.</summary>
    public void Interrupt()
    {
        _seconds = 0;
        _cpuSeconds = 0;
        _wallSeconds = 0;
        _items = 0;
    }

    /// <summary>Adds what happened at the base size; true when the alarm is raised.</summary>
    /// <param name="seconds">Time that passed.</param>
    /// <param name="items">Items that completed.</param>
    /// <param name="cpuSeconds">Time in which its workers ran or waited for a core; NaN when not known. Not the CPU time of the process: compiling ends after some seconds, and that is no change of the work.</param>
    /// <param name="wallSeconds">Time of its busy workers.</param>
    public bool Add(double seconds, long items, double cpuSeconds = double.NaN, double wallSeconds = double.NaN)
    {
        _seconds += seconds;
        _items += items;
        _cpuSeconds += cpuSeconds;
        _wallSeconds += wallSeconds;
        // A window that never fills up is a slow workload: after ten times its length it counts as it is.
        if (_seconds < settings.AlarmWindow.TotalSeconds || (_items < settings.AlarmItems && _seconds < 10 * settings.AlarmWindow.TotalSeconds))
        {
            return false;
        }

        double rate = Math.Max(_items, 0.5) / _seconds;
        double cpuPerItem = _items > 0 ? _cpuSeconds / _items : double.NaN;
        double wallPerCpu = _wallSeconds / _cpuSeconds;
        Interrupt();
        bool changed = _rate.Observe(rate, settings.AlarmDeviation, settings.AlarmCount);
        changed |= _cpuPerItem.Observe(cpuPerItem, settings.AlarmCpuDeviation, settings.AlarmCount);
        return changed | _wallPerCpu.Observe(wallPerCpu, settings.AlarmCpuDeviation, settings.AlarmCount);
    }

    /// <summary>One signal and its level, which follows slow drift.</summary>
    private sealed class Signal
    {
        private const double Follow = 0.2;
        private int _off;

        public double Level { get; private set; } = double.NaN;

        public double Last { get; private set; }

        public void Reset(double level)
        {
            Level = level;
            _off = 0;
        }

        public bool Observe(double value, double deviation, int count)
        {
            if (!(value > 0) || !double.IsFinite(value))
            {
                return false;
            }

            Last = value;
            if (double.IsNaN(Level))
            {
                Level = value;
                return false;
            }

            if (Math.Abs(Math.Log(value / Level)) > deviation)
            {
                return ++_off >= count;
            }

            _off = 0;
            Level += Follow * (value - Level);
            return false;
        }
    }
}
