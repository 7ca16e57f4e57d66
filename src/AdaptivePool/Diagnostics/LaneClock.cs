namespace AdaptivePool.Diagnostics;

/// <summary>
/// How long the items of a FIFO queue have waited, and how long those did that it gave, from counts alone: what waits at a look for the first time has come
/// since the look before. Queueing costs nothing for it; times are exact to a look. Not for several threads at once.
/// </summary>
internal sealed class LaneClock
{
    /// <summary>Looks remembered; where that is not enough two neighbours become one.</summary>
    private const int MostSpans = 64;

    /// <summary>Waits are told in steps of a fourth of an octave from 0.1 ms on; below the first is what came and went between two looks.</summary>
    private const int StepsPerOctave = 4;
    private const int Steps = 120;
    private const double ShortestSeconds = 0.000_1;

    /// <summary>After so many seconds an old wait weighs half.</summary>
    private const double HalfLifeSeconds = 60;

    private readonly double[] _waits = new double[Steps];
    private readonly List<(double At, long Count)> _spans = [];
    private double _halvedAt;
    private int _lastTaken;
    private long _lastWaiting;
    private bool _hasBegun;

    /// <summary>Whether an item is known to have come.</summary>
    public bool IsUsed { get; private set; }

    /// <summary>Takes a look.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="waiting">Items that wait.</param>
    /// <param name="taken">Items taken so far, or nearly; may wrap around.</param>
    public void Look(double now, int waiting, int taken)
    {
        if (!_hasBegun)
        {
            (_hasBegun, _lastTaken, _halvedAt) = (true, taken, now);
        }

        Decay(now);

        // Those who take count late where items are short; what has left the queue has been taken, whatever they say.
        long left = Math.Max(unchecked(taken - _lastTaken), _lastWaiting - waiting);
        long come = waiting + left - _lastWaiting;
        (_lastTaken, _lastWaiting) = (taken, waiting);
        IsUsed |= come > 0;
        while (left > 0 && _spans.Count > 0)
        {
            (double at, long count) = _spans[0];
            long gone = Math.Min(left, count);
            Add(now - at, gone);
            left -= gone;
            if (gone == count)
            {
                _spans.RemoveAt(0);
            }
            else
            {
                _spans[0] = (at, count - gone);
            }
        }

        // Came and went since the last look.
        Add(0, left);
        if (come > left)
        {
            Remember(now, come - left);
        }
    }

    /// <summary>How long an item has waited at least, in seconds; <see langword="null"/> for one that has come after the last look.</summary>
    /// <param name="position">Items before it.</param>
    /// <param name="now">Time in seconds.</param>
    public double? AgeOf(long position, double now)
    {
        foreach ((double at, long count) in _spans)
        {
            if (position < count)
            {
                return Math.Max(0, now - at);
            }

            position -= count;
        }

        return null;
    }

    /// <summary>The wait that the given share of the items did not pass, in seconds; zero for less than the time between two looks.</summary>
    /// <param name="share">0 to 1.</param>
    public double Percentile(double share)
    {
        double rest = _waits.Sum() * (1 - share);
        for (int step = Steps - 1; step > 0; step--)
        {
            rest -= _waits[step];
            if (rest < 0)
            {
                return SecondsOf(step);
            }
        }

        return 0;
    }

    /// <summary>How many items waited how long, the shortest first; nothing of waits that no item had. See <see cref="Percentile"/>.</summary>
    public IEnumerable<KeyValuePair<TimeSpan, double>> Histogram =>
        Enumerable.Range(0, Steps).Where(step => _waits[step] > 0).Select(step => KeyValuePair.Create(TimeSpan.FromSeconds(SecondsOf(step)), _waits[step]));

    /// <summary>Forgets the waits of what was taken.</summary>
    public void Reset()
    {
        Array.Clear(_waits);
        IsUsed = _spans.Count > 0;
    }

    /// <summary>Where a step ends; zero for what came and went between two looks.</summary>
    private static double SecondsOf(int step) => step == 0 ? 0 : ShortestSeconds * Math.Pow(2, (double)step / StepsPerOctave);

    private void Add(double seconds, long count)
    {
        int step = seconds < ShortestSeconds ? 0 : 1 + (int)(Math.Log2(seconds / ShortestSeconds) * StepsPerOctave);
        _waits[Math.Min(step, Steps - 1)] += count;
    }

    private void Remember(double now, long count)
    {
        if (_spans.Count == MostSpans)
        {
            for (int i = 0; i < MostSpans / 2; i++)
            {
                _spans[i] = (_spans[2 * i].At, _spans[2 * i].Count + _spans[(2 * i) + 1].Count);
            }

            _spans.RemoveRange(MostSpans / 2, MostSpans / 2);
        }

        _spans.Add((now, count));
    }

    private void Decay(double now)
    {
        double halvings = Math.Floor((now - _halvedAt) / HalfLifeSeconds);
        _halvedAt += halvings * HalfLifeSeconds;
        for (int step = 0; step < Steps && halvings > 0; step++)
        {
            _waits[step] *= Math.Pow(2, -halvings);
        }
    }
}
