namespace AdaptivePool.Balancing.Overload;

/// <summary>
/// Finds the rate that a backend can bear. While requests wait longer than a target, the point is the rate at which they complete, less a margin and less what
/// drains the backlog; while they wait less than half of it, the point rises again, in small steps that grow, and is taken back when it holds nobody back any more.
/// </summary>
/// <remarks>The cut is that of the product's feasibility runs; absolute targets come from DAGOR (SoCC 2018) and controlled delay, credits by completion from Breakwater (OSDI 2020).</remarks>
public sealed class TargetOverloadPolicy : IOverloadPolicy
{
    /// <summary>Room that is left below the rate at which requests complete.</summary>
    private const double Margin = 0.95;

    /// <summary>A step down never goes below this share: one stall of the process would otherwise leave nothing.</summary>
    private const double SmallestShare = 0.5;

    /// <summary>Of the backlog, what is drained in a second.</summary>
    private const double DrainPerSecond = 0.5;

    /// <summary>First step up in a window, and the factor from one to the next.</summary>
    private const double FirstStep = 0.01;
    private const double StepGrowth = 1.5;

    /// <summary>The largest step up in a window.</summary>
    private const double LargestStep = 0.25;

    /// <summary>A point is what held requests back when at least this share of it arrives.</summary>
    private const double BindingShare = 0.7;

    private readonly TargetOverloadOptions _options;
    private readonly Queue<QueueReading> _window = new();
    private OverloadPoint? _point;
    private TimeSpan _stepAt = TimeSpan.MinValue;
    private TimeSpan _boundAt = TimeSpan.MinValue;
    private double _step = FirstStep;

    /// <summary>Creates a policy.</summary>
    /// <param name="options">Its settings; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">A setting is out of its range.</exception>
    public TargetOverloadPolicy(TargetOverloadOptions? options = null)
    {
        _options = options ?? new TargetOverloadOptions();
        _options.Validate();
    }

    /// <inheritdoc/>
    public TimeSpan Interval => _options.Interval;

    /// <inheritdoc/>
    public OverloadPoint? Observe(in QueueReading reading)
    {
        if (_window.Count > 0 && reading.Now < _window.Last().Now)
        {
            // The clock has gone back: what was counted by it says nothing.
            _window.Clear();
            (_stepAt, _boundAt) = (TimeSpan.MinValue, reading.Now);
        }

        _window.Enqueue(reading);
        while (_window.Count > 1 && reading.Now - _window.Skip(1).First().Now >= _options.Window)
        {
            _window.Dequeue();
        }

        QueueReading first = _window.Peek();
        TimeSpan elapsed = reading.Now - first.Now;
        if (elapsed < _options.Window || !reading.IsSized)
        {
            return _point;
        }

        double completed = (reading.Completed - first.Completed) / elapsed.TotalSeconds;
        double arrived = (reading.Arrived - first.Arrived) / elapsed.TotalSeconds;
        bool mayStep = _stepAt == TimeSpan.MinValue || reading.Now - _stepAt >= _options.Window;
        if (reading.AverageWait > _options.Target)
        {
            _boundAt = reading.Now;
            if (mayStep)
            {
                Cut(reading, completed);
            }
        }
        else if (mayStep && _point is { } point && reading.AverageWait < _options.Target / 2)
        {
            Raise(reading, point, arrived);
        }

        return _point;
    }

    private void Cut(in QueueReading reading, double completed)
    {
        double before = _point is { } point ? Math.Min(point.PerSecond, completed) : completed;
        double rate = Math.Max(SmallestShare * before, (Margin * before) - (DrainPerSecond * reading.Queued));
        if (OverloadPoint.IsPossible(rate))
        {
            _point = new OverloadPoint(rate);
            _stepAt = reading.Now;
            _step = FirstStep;
        }
    }

    private void Raise(in QueueReading reading, OverloadPoint point, double arrived)
    {
        if (arrived >= BindingShare * point.PerSecond)
        {
            _boundAt = reading.Now;
        }
        else if (reading.Now - _boundAt >= _options.ClearAfter)
        {
            (_point, _step) = (null, FirstStep);
            return;
        }

        double rate = Math.Min(point.PerSecond * (1 + _step), OverloadPoint.Highest);
        (_point, _stepAt, _step) = (new OverloadPoint(rate), reading.Now, Math.Min(LargestStep, _step * StepGrowth));
    }
}
