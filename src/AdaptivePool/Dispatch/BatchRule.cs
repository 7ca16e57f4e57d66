namespace AdaptivePool.Dispatch;

/// <summary>
/// Whether a worker that has nothing more to do after routed work waits a moment for the next item. Waiting pays where that item comes sooner than a sleeping
/// worker wakes and a core is free to wait on. Only the rate of the class shows that, so the rule tries it, in short turns with and without waiting.
/// </summary>
/// <param name="waitSeconds">How long a worker waits.</param>
/// <param name="isOn">Whether workers wait from the beginning.</param>
internal sealed class BatchRule(double waitSeconds, bool isOn = false)
{
    /// <summary>Turns with and without in a trial.</summary>
    private const int Pairs = 12;

    /// <summary>
    /// The rate must be this many times higher with waiting: a rate varies by a fifth from turn to turn, the median of twelve pairs by less than a tenth.
    /// </summary>
    private const double NeededGain = 1.1;

    private const double LeastTurnSeconds = 0.025;
    private const double WaitsPerTurn = 20;

    /// <summary>A turn that took this many times as long had nothing to count in between.</summary>
    private const double LongTurn = 4;

    /// <summary>No trial begins where workers go to sleep less often than once in this many waits: the next item is then far off, whenever it comes.</summary>
    private const double NearInWaits = 5;

    private const double FirstRestSeconds = 5;
    private const double LongestRestSeconds = 600;
    private const double FirstCheckSeconds = 2;
    private const double LongestCheckSeconds = 32;
    private const int WaitsPerVerdict = 64;

    private readonly double _turnSeconds = Math.Max(LeastTurnSeconds, WaitsPerTurn * waitSeconds);
    private readonly double[] _ratios = new double[Pairs];
    private double _from = double.NegativeInfinity;
    private double _restUntil;
    private double _restSeconds = FirstRestSeconds;
    private double _checkAt = isOn ? double.PositiveInfinity : 0;
    private double _checkSeconds = FirstCheckSeconds;
    private double _without;
    private long _completed;
    private int _times;
    private int _waits;
    private int _inVain;
    private int _turn = -1;

    /// <summary>Whether waiting paid in the last trial.</summary>
    public bool IsOn { get; private set; } = isOn;

    private bool IsTrial => _turn >= 0;

    /// <summary>Whether to wait now. Called by each worker that is about to go to sleep.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="completed">Items of the class so far.</param>
    public bool Observe(double now, long completed)
    {
        bool waits = IsTrial ? ObserveTrial(now, completed) : IsOn ? ObserveOn(now, completed) : ObserveOff(now, completed);
        _waits += waits ? 1 : 0;
        return waits;
    }

    /// <summary>Notes that the last wait found nothing.</summary>
    public void HasWaitedInVain() => _inVain++;

    private bool ObserveOff(double now, long completed)
    {
        _times++;
        double seconds = now - _from;
        if (seconds < _turnSeconds)
        {
            return false;
        }

        double perSecond = _times / seconds;
        (_times, _from) = (0, now);
        if (now >= _restUntil && perSecond * waitSeconds * NearInWaits >= 1)
        {
            Try(now, completed);
        }

        return false;
    }

    private bool ObserveOn(double now, long completed)
    {
        if (_waits >= WaitsPerVerdict)
        {
            bool isInVain = 2 * _inVain > _waits;
            (_waits, _inVain) = (0, 0);
            if (isInVain)
            {
                // The next item now comes too late.
                Rest(now);
                return false;
            }
        }

        if (now >= _checkAt)
        {
            Try(now, completed);
            return false;
        }

        return true;
    }

    // The first turn is without waiting.
    private void Try(double now, long completed) => (_turn, _from, _completed) = (0, now, completed);

    private bool ObserveTrial(double now, long completed)
    {
        double seconds = now - _from;
        if (seconds >= LongTurn * _turnSeconds)
        {
            // There was nothing to do, so the trial shows nothing. A class that waited goes on waiting; the others rest no longer than before.
            End(now);
        }
        else if (seconds >= _turnSeconds)
        {
            EndTurn(now, (completed - _completed) / seconds);
            (_from, _completed) = (now, completed);
        }

        return IsTrial ? _turn % 2 != 0 : IsOn;
    }

    private void EndTurn(double now, double perSecond)
    {
        if (_turn % 2 == 0)
        {
            _without = perSecond;
        }
        else
        {
            _ratios[_turn / 2] = _without > 0 ? perSecond / _without : 0;
        }

        if (++_turn == 2 * Pairs)
        {
            Array.Sort(_ratios);
            double gain = (_ratios[(Pairs - 1) / 2] + _ratios[Pairs / 2]) / 2;
            bool wasOn = IsOn;
            IsOn = gain >= (wasOn ? 1 : NeededGain);
            _checkSeconds = IsOn && wasOn ? Math.Min(2 * _checkSeconds, LongestCheckSeconds) : FirstCheckSeconds;
            if (IsOn)
            {
                _restSeconds = FirstRestSeconds;
                End(now);
            }
            else
            {
                Rest(now);
            }
        }
    }

    private void End(double now)
    {
        _turn = -1;
        (_waits, _inVain) = (0, 0);
        (_checkAt, _restUntil) = (now + _checkSeconds, now + _restSeconds);
    }

    // Waiting does not pay. It is tried less and less often, because each trial costs something.
    private void Rest(double now)
    {
        IsOn = false;
        End(now);
        _restSeconds = Math.Min(2 * _restSeconds, LongestRestSeconds);
    }
}
