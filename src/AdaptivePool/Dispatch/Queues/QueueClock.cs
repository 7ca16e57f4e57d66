using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch.Queues;

/// <summary>
/// How long the items of a FIFO queue have waited, and how long its taken items waited, from counts alone: an item that waits at a look for the first time has
/// come since the look before. Items carry no time, and queueing costs nothing. Ages are exact to a look and to <see cref="Exactness"/>.
/// </summary>
internal sealed class QueueClock
{
    /// <summary>Looks are merged where that makes an item older by no more than this share of its age.</summary>
    public const double Exactness = 1.0 / 32;

    /// <summary>Fewer looks than this are not merged.</summary>
    private const int FewLooks = 64;

    /// <summary>Waits are reported in steps of a fourth of an octave from 0.1 ms on. Below the first are items that came and went between two looks.</summary>
    private const int StepsPerOctave = 4;
    private const int Steps = 120;
    private const double ShortestSeconds = 0.000_1;

    /// <summary>After this many seconds an old wait weighs half.</summary>
    private const double HalfLifeSeconds = 60;

    /// <summary>A wait that weighs less is forgotten, after ten minutes: otherwise the last burst would be reported for as long as nothing comes.</summary>
    private const double LeastWeight = 1.0 / 1024;

    // Items that had come by a look, counted from the first one ever; the last look has all.
    private readonly ValueList<Seen> _looks = new();
    private readonly double[] _waits = new double[Steps];
    private double _halvedAt = double.NaN;
    private int _thinOutAt = FewLooks;
    private int _lastTaken;
    private int _lastWaiting;
    private long _gone;
    private long _notCounted;

    /// <summary>Whether an item is known to have come.</summary>
    public bool IsUsed { get; private set; }

    /// <summary>Looks that are remembered.</summary>
    public int Looks => _looks.Count;

    /// <summary>Items that were taken from the queue.</summary>
    public long Gone => _gone;

    /// <summary>How long they waited, all together, in seconds.</summary>
    public double GoneSeconds { get; private set; }

    /// <summary>Changes how taken items are counted from now on.</summary>
    /// <param name="taken">The present value of the new count.</param>
    public void Recount(int taken) => (_lastTaken, _notCounted) = (taken, 0);

    /// <summary>Takes a look.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="waiting">Items that wait. Read after <paramref name="taken"/>: no item is in both.</param>
    /// <param name="taken">Items taken so far, or nearly; may wrap around.</param>
    public void Look(double now, int waiting, int taken)
    {
        Decay(now);
        long gone = CountGone(waiting, taken);
        long come = waiting + gone - _lastWaiting;
        _lastWaiting = waiting;
        IsUsed |= come > 0;
        Give(now, gone);
        if (waiting > 0 && come > 0)
        {
            _looks.Add(new Seen(now, _gone + waiting));
        }

        if (_looks.Count >= _thinOutAt)
        {
            ThinOut(now);
        }
    }

    /// <summary>Lets old waits weigh less. Each look calls this, and so does code that reports the waits: there are no looks where nothing comes.</summary>
    /// <param name="now">Time in seconds.</param>
    public void Decay(double now)
    {
        double halvings = Math.Floor((now - _halvedAt) / HalfLifeSeconds);
        _halvedAt = double.IsNaN(halvings) ? now : _halvedAt + (halvings * HalfLifeSeconds);
        for (int step = 0; step < Steps && halvings > 0; step++)
        {
            double weight = _waits[step] * Math.Pow(2, -halvings);
            _waits[step] = weight < LeastWeight ? 0 : weight;
        }
    }

    /// <summary>How long an item has waited at least, in seconds; <see langword="null"/> for one that has come after the last look.</summary>
    /// <param name="position">Items before it.</param>
    /// <param name="now">Time in seconds.</param>
    public double? AgeOf(long position, double now)
    {
        for (int i = 0; i < _looks.Count; i++)
        {
            if (position < _looks[i].UpTo - _gone)
            {
                return Math.Max(0, now - _looks[i].At);
            }
        }

        return null;
    }

    /// <summary>Items that have waited for this long.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="now">Time in seconds.</param>
    public int CountFrom(double seconds, double now)
    {
        long count = 0;
        for (int i = 0; i < _looks.Count; i++)
        {
            count = now - _looks[i].At >= seconds ? _looks[i].UpTo - _gone : count;
        }

        return (int)count;
    }

    /// <summary>Items that must be taken in a second so that none waits for this long; infinite when some have.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="now">Time in seconds.</param>
    public double NeededPerSecond(double seconds, double now)
    {
        double needed = 0;
        for (int i = 0; i < _looks.Count; i++)
        {
            double left = _looks[i].At + seconds - now;
            needed = left <= 0 ? double.PositiveInfinity : Math.Max(needed, (_looks[i].UpTo - _gone) / left);
        }

        return needed;
    }

    /// <summary>The wait that the given share of the items did not exceed, in seconds; zero for less than the time between two looks.</summary>
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

    /// <summary>How many items waited how long, the shortest first. Waits that no item had are left out. See <see cref="Percentile"/>.</summary>
    public IEnumerable<KeyValuePair<TimeSpan, double>> Histogram =>
        Enumerable.Range(0, Steps).Where(step => _waits[step] > 0).Select(step => KeyValuePair.Create(TimeSpan.FromSeconds(SecondsOf(step)), _waits[step]));

    /// <summary>Forgets the waits of what was taken.</summary>
    public void Reset()
    {
        Array.Clear(_waits);
        IsUsed = _looks.Count > 0;
    }

    /// <summary>Where a step ends; zero for what came and went between two looks.</summary>
    private static double SecondsOf(int step) => step == 0 ? 0 : ShortestSeconds * Math.Pow(2, (double)step / StepsPerOctave);

    // Workers count late where items are short. An item that has left the queue has been taken, whatever they count, and does not count a second time.
    private long CountGone(int waiting, int taken)
    {
        long counted = Math.Max(0, unchecked(taken - _lastTaken));
        _lastTaken = unchecked(_lastTaken + (int)counted);
        long known = Math.Min(counted, _notCounted);
        long left = Math.Max(0, _lastWaiting - waiting);
        long gone = Math.Max(counted - known, left);
        _notCounted += gone - counted;
        return gone;
    }

    private void Give(double now, long count)
    {
        int passed = 0;
        for (; count > 0 && passed < _looks.Count; passed += _gone == _looks[passed].UpTo ? 1 : 0)
        {
            long given = Math.Min(count, _looks[passed].UpTo - _gone);
            Add(now - _looks[passed].At, given);
            count -= given;
        }

        _looks.RemoveFirst(passed);

        // The rest came and went since the last look.
        Add(0, count);
    }

    private void Add(double seconds, long count)
    {
        int step = seconds < ShortestSeconds ? 0 : 1 + (int)(Math.Log2(seconds / ShortestSeconds) * StepsPerOctave);
        _waits[Math.Min(step, Steps - 1)] += count;
        GoneSeconds += seconds * count;
        _gone += count;
    }

    // Items of the later of two looks count from the earlier one on. A look that was merged before covers items that came until the next look.
    private void ThinOut(double now)
    {
        int kept = 0;
        for (int i = 1; i < _looks.Count; i++)
        {
            double end = i + 1 < _looks.Count ? _looks[i + 1].At : now;
            bool isNear = end - _looks[kept].At <= Exactness * (now - end);
            _looks[isNear ? kept : ++kept] = isNear ? _looks[kept] with { UpTo = _looks[i].UpTo } : _looks[i];
        }

        _looks.Truncate(kept + 1);
        _thinOutAt = Math.Max(FewLooks, 2 * _looks.Count);
    }

    private readonly record struct Seen(double At, long UpTo);
}
