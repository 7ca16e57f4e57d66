namespace AdaptivePool.Sizing;

/// <summary>
/// Compares the throughput of the base size with what it used to be: three windows in a row off by ln 0.7 mean that the workload has changed. Windows are long
/// because a server's own swings (2,500 to 5,500 per second on a database) fired a shorter alarm every second or two.
/// </summary>
internal sealed class ChangeAlarmRule(ClassSizeSettings settings)
{
    private double _reference = double.NaN;
    private double _seconds;
    private long _items;
    private int _off;
    private double _last;

    /// <summary>Throughput of the last full window lay below the reference.</summary>
    public bool Dropped => _last < _reference;

    /// <summary>Forgets the windows and takes a new reference; NaN: the first window gives it.</summary>
    public void Reset(double reference)
    {
        _reference = reference;
        _off = 0;
        Interrupt();
    }

    /// <summary>The base size is not in force, or nothing waits: the window so far does not count.</summary>
    public void Interrupt()
    {
        _seconds = 0;
        _items = 0;
    }

    /// <summary>Adds what happened at the base size; true when the alarm is raised.</summary>
    public bool Add(double seconds, long items)
    {
        _seconds += seconds;
        _items += items;
        // A window that never fills up is a slow workload: after ten times its length it counts as it is.
        if (_seconds < settings.AlarmWindow.TotalSeconds || (_items < settings.AlarmItems && _seconds < 10 * settings.AlarmWindow.TotalSeconds))
        {
            return false;
        }

        _last = Math.Max(_items, 0.5) / _seconds;
        Interrupt();
        if (double.IsNaN(_reference))
        {
            _reference = _last;
            return false;
        }

        if (Math.Abs(Math.Log(_last / _reference)) > settings.AlarmDeviation)
        {
            return ++_off >= settings.AlarmCount;
        }

        _off = 0;
        _reference += 0.2 * (_last - _reference);
        return false;
    }
}
