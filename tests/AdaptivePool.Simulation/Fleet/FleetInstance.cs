using AdaptivePool.Admission;

namespace AdaptivePool.Simulation.Fleet;

/// <summary>An instance: a gate that lets clients in, and counts as the real one does.</summary>
/// <param name="law">How it finds its limit.</param>
internal sealed class FleetInstance(IFleetLaw law)
{
    private readonly Queue<bool> _waiting = new();
    private long _admitted;
    private long _admittedAfterWait;
    private long _ended;
    private int _sessions;
    private double _insideSeconds;

    public IFleetLaw Law { get; } = law;

    /// <summary>Clients that come again after each transaction.</summary>
    public int Clients { get; set; }

    /// <summary>Clients that are inside or wait.</summary>
    public int Present => Held + _waiting.Count;

    public int Limit { get; private set; } = law.Start;

    public int Held { get; private set; }

    /// <summary>Whether the process is there.</summary>
    public bool IsThere { get; set; }

    /// <summary>What the others see of it; <see langword="null"/> before it told anything.</summary>
    public string? Told { get; set; }

    private bool HasRoom => Limit == 0 || Held < Limit;

    /// <summary>A client comes.</summary>
    /// <returns>Whether it is let in.</returns>
    public bool Enter()
    {
        if (HasRoom && _waiting.Count == 0)
        {
            LetIn(waited: false);
            return true;
        }

        _waiting.Enqueue(true);
        return false;
    }

    /// <summary>Whether more are inside than it has sessions: another one is opened.</summary>
    public bool OpensSession()
    {
        bool opens = Held > _sessions;
        _sessions = Math.Max(_sessions, Held);
        return opens;
    }

    /// <summary>A transaction has ended.</summary>
    public void Leave(double inside)
    {
        Held--;
        _ended++;
        _insideSeconds += inside;
    }

    /// <summary>Lets the next one in that waits.</summary>
    /// <returns>Whether there was one, and room.</returns>
    public bool Next()
    {
        if (!HasRoom || !_waiting.TryDequeue(out _))
        {
            return false;
        }

        LetIn(waited: true);
        return true;
    }

    /// <summary>Those that wait go away.</summary>
    public void Clear() => _waiting.Clear();

    public TimeSpan Look(double now, Func<string, IReadOnlyList<string>>? exchange)
    {
        LimitObservation seen = new()
        {
            Now = TimeSpan.FromSeconds(now),
            Limit = Limit,
            Held = Held,
            Queued = _waiting.Count,
            Ended = _ended,
            Timed = _ended,
            InsideSeconds = _insideSeconds,
            Admitted = _admitted,
            AdmittedAfterWait = _admittedAfterWait,
        };
        (Limit, TimeSpan again) = Law.Look(seen, exchange);
        return again;
    }

    private void LetIn(bool waited)
    {
        Held++;
        _admitted++;
        _admittedAfterWait += waited ? 1 : 0;
    }
}
