namespace AdaptivePool.Balancing;

/// <summary>
/// Service time and load of others that are usual at a backend. Both change slowly, and looking costs as much as choosing: so they are looked for again after
/// some choices, and where there are many backends each choice looks at a part of them. Not thread-safe.
/// </summary>
/// <param name="most">A choice looks at so many at most.</param>
/// <param name="lifetime">How long a report counts.</param>
internal sealed class UsualLoad(int most, TimeSpan lifetime)
{
    /// <summary>Choices after which a new round through all backends begins.</summary>
    private const int Refresh = 16;

    /// <summary>Room for times to begin with.</summary>
    private const int FewestTimes = 16;

    private double[] _times = [];
    private int _known;
    private long _others;
    private int _tellers;

    /// <summary>How many backends this round has looked at.</summary>
    private int _looked = int.MaxValue;
    private int _choices = Refresh;

    /// <summary>The median of the service times that are known, the lower one of two; 0 when none is. The shortest of many would be one that is too short by
    /// chance.</summary>
    public double Time { get; private set; }

    /// <summary>Requests that others have at a backend, in the mean of those that have told it lately.</summary>
    public double Others { get; private set; }

    /// <summary>To be called before each choice.</summary>
    public void Look(IReadOnlyList<BackendState> backends, TimeSpan now)
    {
        _choices = Math.Min(_choices + 1, Refresh + 1);
        if (_looked >= backends.Count)
        {
            // While no time is known each choice looks: beside the first one that has answered all others would seem slow.
            if (_choices <= Refresh && Time > 0)
            {
                return;
            }

            (_looked, _known, _others, _tellers, _choices) = (0, 0, 0, 0, 1);
        }

        int end = (int)Math.Min(backends.Count, (long)_looked + most);
        for (; _looked < end; _looked++)
        {
            Add(backends[_looked], now);
        }

        if (_looked == backends.Count || Time == 0)
        {
            Array.Sort(_times, 0, _known);
            Time = _known == 0 ? 0 : _times[(_known - 1) / 2];
            Others = _tellers > 0 ? (double)_others / _tellers : 0;
        }
    }

    private void Add(BackendState backend, TimeSpan now)
    {
        double seconds = backend.ServiceSeconds(now, lifetime);
        if (seconds > 0)
        {
            if (_known == _times.Length)
            {
                // By how many there are: the most that a choice looks at may be any number.
                Array.Resize(ref _times, Math.Max(FewestTimes, 2 * _known));
            }

            _times[_known++] = seconds;
        }

        if (backend.TellsOthers(now, lifetime))
        {
            (_others, _tellers) = (_others + backend.OthersInFlight, _tellers + 1);
        }
    }
}
