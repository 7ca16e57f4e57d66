namespace AdaptivePool.Balancing.Overload;

/// <summary>
/// Finds the rate that a backend can bear. The backend is overloaded if requests have waited longer than a target at every look of a window: those in the
/// queue, and, where more have begun to run in the window than wait, in the mean also those. The rate at which requests completed in this time is then
/// the most that the backend can do. The point is this rate, minus a margin, minus the rate that is needed to drain the backlog. While requests wait
/// less than half of the target, the point rises again, in small steps that grow. The policy removes the point when no request waits because of it.
/// </summary>
/// <remarks>
/// An absolute target for the wait in the queue: DAGOR (SoCC 2018). A wait that lasts for an interval, instead of one that occurs once: controlled delay
/// (Nichols and Jacobson, 2012). Rates by completion: Breakwater (OSDI 2020).
/// </remarks>
public sealed class TargetOverloadPolicy : IOverloadPolicy
{
    /// <summary>Share of the rate of completions that is used, which leaves some room.</summary>
    private const double Margin = 0.97;

    /// <summary>A step down never goes below this share of the rate of completions. Otherwise the backlog of a single stall would leave no rate at
    /// all.</summary>
    private const double SmallestShare = 0.7;

    /// <summary>The share of the backlog that is drained in a second.</summary>
    private const double DrainPerSecond = 0.5;

    /// <summary>First step up in a window, as a share, and the factor from one step to the next.</summary>
    private const double FirstStep = 0.002;
    private const double StepGrowth = 1.5;

    /// <summary>Steps grow while every wait of a window was below the target divided by this. A backend near its limit has waits now and then; a backend that
    /// has recovered has none.</summary>
    private const double QuietDivisor = 20;

    /// <summary>The largest step up in a window.</summary>
    private const double LargestStep = 0.25;

    /// <summary>A rate is counted over at least this many completions, or over all completions since requests wait too long. A window that has a completion
    /// only now and then says nothing about the rate at which slow requests complete.</summary>
    private const int FewestCompletions = 10;

    /// <summary>A point has held requests back when at least this share of it arrives.</summary>
    private const double BindingShare = 0.7;

    private readonly TargetOverloadOptions _options;
    private readonly Queue<QueueReading> _window = new();

    /// <summary>The completions at each look since all looks have seen too long waits, as far back as a rate needs.</summary>
    private readonly Queue<(TimeSpan Now, long Completed)> _backlog = new();
    private OverloadPoint? _point;
    private (long Count, TimeSpan Wait) _started;
    private TimeSpan _newest = TimeSpan.MinValue;
    private TimeSpan _stepAt;
    private TimeSpan _boundAt;
    private double _step = FirstStep;
    private double _known;

    /// <summary>Creates a policy.</summary>
    /// <param name="options">The settings; <see langword="null"/> for the defaults.</param>
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
        if (reading.Now == _newest)
        {
            // While a clock stands still there is no rate, and the window would grow without end.
            return _point;
        }

        if (reading.Now < _newest || !reading.IsSized || (_window.Count > 0 && StandStill.IsIn(reading.Now - _newest, _options.Window)))
        {
            // A clock has gone back, or has continued while the process stood still: counts over its time say nothing. Before the first sizing requests do
            // not wait because of the machine.
            Restart(reading);
        }

        _newest = reading.Now;
        TimeSpan wait = WaitOf(reading);
        _window.Enqueue(reading with { AverageWait = wait });
        while (_window.Count > 2 && reading.Now - _window.ElementAt(1).Now >= _options.Window)
        {
            _window.Dequeue();
        }

        NoteBacklog(reading, wait);
        QueueReading first = _window.Peek();
        TimeSpan elapsed = reading.Now - first.Now;
        if (elapsed < _options.Window || reading.Now - _stepAt < _options.Window)
        {
            return _point;
        }

        TimeSpan longest = _window.Max(static look => look.AverageWait);
        if (_window.Min(static look => look.AverageWait) > _options.Target)
        {
            (TimeSpan since, long completed) = _backlog.Peek();
            Cut(reading, (reading.Completed - completed) / (reading.Now - since).TotalSeconds);
        }
        else if (_point is { } point && wait < _options.Target / 2)
        {
            Raise(reading, point, (reading.Arrived - first.Arrived) / elapsed.TotalSeconds, longest < _options.Target / QuietDivisor);
        }

        return _point;
    }

    /// <summary>
    /// Returns the wait of requests. Where more requests begin than wait, and have waited for less, a few wait for something of their own, such as the gate
    /// of their endpoint. Fewer requests of all kinds would not help them. Where more wait than begin, those that begin may be the newest, or of higher
    /// priority. The number of a whole window counts: at few requests a second hardly any begins between two looks.
    /// </summary>
    private TimeSpan WaitOf(in QueueReading reading)
    {
        (long count, TimeSpan wait) = (reading.Started - _started.Count, TimeSpan.FromTicks(unchecked(reading.StartedWait.Ticks - _started.Wait.Ticks)));
        _started = (reading.Started, reading.StartedWait);

        // The sum is below zero where some requests that had begun wait again.
        long begun = _window.TryPeek(out QueueReading first) ? reading.Started - first.Started : count;
        bool isKnown = count > 0 && begun > reading.Queued && wait >= TimeSpan.Zero;
        return isKnown && wait / count is var mean && mean < reading.AverageWait ? mean : reading.AverageWait;
    }

    private void NoteBacklog(in QueueReading reading, TimeSpan wait)
    {
        if (wait <= _options.Target)
        {
            _backlog.Clear();
            return;
        }

        // Looks between which nothing has completed add nothing new, and there may be any number of them.
        if (_backlog.Count == 0 || _backlog.Last().Completed != reading.Completed)
        {
            _backlog.Enqueue((reading.Now, reading.Completed));
        }

        while (_backlog.Count > 1 && _backlog.ElementAt(1) is var second
            && reading.Now - second.Now >= _options.Window && reading.Completed - second.Completed >= FewestCompletions)
        {
            _backlog.Dequeue();
        }
    }

    private void Restart(in QueueReading reading)
    {
        _window.Clear();
        _backlog.Clear();
        (_stepAt, _boundAt) = (reading.Now - _options.Window, reading.Now);
    }

    private void Cut(in QueueReading reading, double completed)
    {
        double rate = Math.Max(SmallestShare * completed, (Margin * completed) - (DrainPerSecond * reading.Queued));
        (_stepAt, _boundAt) = (reading.Now, reading.Now);
        if (OverloadPoint.IsPossible(rate))
        {
            _point = new OverloadPoint(rate);
            _step = FirstStep;
            _known = Margin * completed;
        }
    }

    private void Raise(in QueueReading reading, OverloadPoint point, double arrived, bool isQuiet)
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

        _stepAt = reading.Now;
        if (point.PerSecond < _known)
        {
            // The backlog because of which the point was lowered is gone.
            _point = new OverloadPoint(_known);
            return;
        }

        _point = new OverloadPoint(Math.Min(point.PerSecond * (1 + _step), OverloadPoint.Highest));
        _step = isQuiet ? Math.Min(LargestStep, _step * StepGrowth) : FirstStep;
    }
}
