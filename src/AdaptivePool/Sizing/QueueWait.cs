namespace AdaptivePool.Sizing;

/// <summary>
/// How long the items of a class waited, from counts alone: an item carries no time of its own, so a pool that nobody asks pays nothing. The mean follows from
/// Little's law. Who waits longest came when so many items had come as have been taken now: items of one priority are taken in the order in which they came.
/// </summary>
internal sealed class QueueWait
{
    // A look each 3 ms fills it in 1.5 s of a queue that moves; older looks are then thinned out, and ages known less exactly.
    private const int MostLooks = 512;

    private readonly List<(TimeSpan At, long Came)> _looks = [];
    private long _came;
    private long _taken;
    private long _takenAtOpen;
    private double _queueSeconds;
    private TimeSpan _lastAt;
    private int _lastQueued;
    private TimeSpan _longest;
    private TimeSpan _longestGap;

    /// <summary>Mean wait of the items taken since the window was opened; zero when none was.</summary>
    public TimeSpan Mean
    {
        get
        {
            long taken = _taken - _takenAtOpen;
            TimeSpan mean = taken > 0 ? TimeSpan.FromSeconds(_queueSeconds / taken) : _longest;

            // A queue that began or ended within the window was not all waited out by those that were taken.
            TimeSpan most = _longest + _longestGap;
            return mean < most ? mean : most;
        }
    }

    /// <summary>The longest wait seen since the window was opened: of those that are still there, too.</summary>
    public TimeSpan Longest => Mean > _longest ? Mean : _longest;

    /// <summary>Opens a window.</summary>
    public void Open()
    {
        _takenAtOpen = _taken;
        _queueSeconds = 0;
        _longest = TimeSpan.Zero;
        _longestGap = TimeSpan.Zero;
    }

    /// <summary>Takes one look.</summary>
    /// <param name="now">Time; never goes back.</param>
    /// <param name="taken">Items that were taken from the queue so far.</param>
    /// <param name="queued">Items that wait.</param>
    public void Observe(TimeSpan now, long taken, int queued)
    {
        TimeSpan gap = now - _lastAt;
        _queueSeconds += _looks.Count > 0 ? _lastQueued * gap.TotalSeconds : 0;
        _longestGap = _looks.Count > 0 && gap > _longestGap ? gap : _longestGap;
        (_lastAt, _lastQueued) = (now, queued);

        // Counts of several threads are not read in one moment: what was seen once does not go back.
        _taken = Math.Max(_taken, taken);
        _came = Math.Max(_came, _taken + queued);
        Note(now);
        if (queued > 0 && now - _looks[0].At is var age && age > _longest)
        {
            _longest = age;
        }
    }

    // The first kept is the look that first saw the item which is taken next.
    private void Note(TimeSpan now)
    {
        int passed = 0;
        while (passed < _looks.Count && _looks[passed].Came <= _taken)
        {
            passed++;
        }

        _looks.RemoveRange(0, passed);
        if (_looks.Count == 0 || _looks[^1].Came < _came)
        {
            _looks.Add((now, _came));
        }

        if (_looks.Count > MostLooks)
        {
            ThinOut();
        }
    }

    // Every second look goes, but not the first: an item is then taken for one that came with those after it.
    private void ThinOut()
    {
        int kept = 0;
        for (int i = 0; i < _looks.Count; i += 2)
        {
            _looks[kept++] = _looks[i];
        }

        _looks.RemoveRange(kept, _looks.Count - kept);
    }
}
