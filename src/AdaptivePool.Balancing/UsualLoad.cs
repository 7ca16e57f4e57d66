namespace AdaptivePool.Balancing;

/// <summary>
/// The usual service time of backends, and the usual load of other balancers. Both change slowly, and a look costs as much as a choice. Therefore they are
/// determined again after some choices, and where there are many backends each choice looks at a part of them. Not thread-safe.
/// </summary>
/// <param name="most">Maximum number of backends that a choice looks at.</param>
/// <param name="lifetime">How long a report is valid.</param>
internal sealed class UsualLoad(int most, TimeSpan lifetime)
{
    /// <summary>Number of choices after which a new round through all backends begins.</summary>
    private const int Refresh = 16;

    /// <summary>Initial room for times.</summary>
    private const int FewestTimes = 16;

    private double[] _times = [];
    private int _known;
    private long _others;
    private int _tellers;

    /// <summary>Number of backends at which this round has looked.</summary>
    private int _looked = int.MaxValue;
    private int _choices = Refresh;

    /// <summary>The median of the known service times, the lower one of two; 0 when none is known. The shortest of many would be one that is too short by
    /// chance.</summary>
    public double Time { get; private set; }

    /// <summary>Number of requests of other balancers at a backend: the mean over the backends that have reported it lately.</summary>
    public double Others { get; private set; }

    /// <summary>Must be called before each choice.</summary>
    public void Look(IReadOnlyList<BackendState> backends, TimeSpan now)
    {
        _choices = Math.Min(_choices + 1, Refresh + 1);
        if (_looked >= backends.Count)
        {
            // While no time is known each choice looks: otherwise the first backend that has responded would make all others seem slow.
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
                // Grows with the number of times: the maximum number of backends that a choice looks at may be any number.
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
