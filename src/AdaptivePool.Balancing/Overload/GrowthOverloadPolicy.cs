namespace AdaptivePool.Balancing.Overload;

/// <summary>
/// The rule of the founding document: if the average wait of the queued requests has grown by more than a tenth since the last look, the present request rate
/// is the overload point. This follows the document literally: the point only goes down, and noise around a wait of zero triggers it.
/// <see cref="TargetOverloadPolicy"/> is the better policy.
/// </summary>
/// <remarks>F. Bahadur and others, "The Double Edge Sword Based Distributed Executor Service" (2021).</remarks>
public sealed class GrowthOverloadPolicy : IOverloadPolicy
{
    private readonly GrowthOverloadOptions _options;
    private TimeSpan _previousWait;
    private TimeSpan _lookedAt;
    private TimeSpan _rateFrom;
    private long _arrivedBefore;
    private double _rate;
    private bool _isOpen;
    private bool _isToldRate;
    private TimeSpan _overloadedAt;
    private OverloadPoint? _point;

    /// <summary>Creates a policy.</summary>
    /// <param name="options">The interpretation of the document; <see langword="null"/> for its literal text.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public GrowthOverloadPolicy(GrowthOverloadOptions? options = null)
    {
        _options = options ?? new GrowthOverloadOptions();
        _options.Validate();
    }

    /// <inheritdoc/>
    public TimeSpan Interval => _options.Interval;

    /// <summary>The number of times overload was detected.</summary>
    public long Signals { get; private set; }

    /// <inheritdoc/>
    public OverloadPoint? Observe(in QueueReading reading)
    {
        // After a clock was set back, counts over time mean as little as after a standstill.
        bool stoodStill = _isOpen && (reading.Now < _lookedAt || StandStill.IsIn(reading.Now - _lookedAt, _options.RatePeriod));
        _overloadedAt = reading.Now < _overloadedAt ? reading.Now : _overloadedAt;
        Count(reading, stoodStill);
        TimeSpan wait = reading.AverageWait > _options.Floor ? reading.AverageWait : TimeSpan.Zero;
        bool mayLook = reading.IsSized || _options.BeforeSizing;
        bool hasGrown = _previousWait > TimeSpan.Zero ? (wait - _previousWait) / _previousWait > _options.Growth : _options.FromZero && wait > TimeSpan.Zero;
        _previousWait = mayLook ? wait : TimeSpan.Zero;
        if (stoodStill)
        {
            // The wait of the queued requests has grown by the time of the standstill.
            return _point;
        }

        if (mayLook && hasGrown && OverloadPoint.IsPossible(_rate) && (_options.RepeatRate || !_isToldRate))
        {
            _point = new OverloadPoint(_rate);
            _overloadedAt = reading.Now;
            _isToldRate = true;
            Signals++;
        }
        else if (_options.ClearAfter is { } after && reading.Now - _overloadedAt >= after)
        {
            _point = null;
        }

        return _point;
    }

    private void Count(in QueueReading reading, bool stoodStill)
    {
        _lookedAt = reading.Now;
        if (!_isOpen || stoodStill)
        {
            // The earlier rate is still the last known one.
            (_isOpen, _rateFrom, _arrivedBefore) = (true, reading.Now, reading.Arrived);
            return;
        }

        TimeSpan elapsed = reading.Now - _rateFrom;
        if (elapsed >= _options.RatePeriod)
        {
            _rate = (reading.Arrived - _arrivedBefore) / elapsed.TotalSeconds;
            (_rateFrom, _arrivedBefore) = (reading.Now, reading.Arrived);
            _isToldRate = false;
        }
    }
}
