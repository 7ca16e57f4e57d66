using AdaptivePool.Admission;
using AdaptivePool.Control;

namespace AdaptivePool.Simulation.Fleet;

/// <summary>
/// Steers a limit by the time that transactions are inside: a little more while that is near the least of late, a third less when it is half as much again.
/// Additive increase and multiplicative decrease make all that see the same delay equal (Chiu and Jain 1989), without seeing each other. What is taken
/// away at once is as much as stands in queues by then, so the delay without a queue is seen again after each decrease, by all of them, and by those that came
/// later too.
/// </summary>
internal sealed class BlindPolicy
{
    /// <summary>Time inside over the base at which the limit is lowered.</summary>
    private const double Tolerance = 1.5;

    /// <summary>What is kept then: less than the inverse of the tolerance, so that the queues empty.</summary>
    private const double Kept = 0.65;

    /// <summary>Permits added in a second. The same for all: that is what makes them equal.</summary>
    private const double AddedPerSecond = 2.5;

    /// <summary>Transactions of a window.</summary>
    private const int FewestTimed = 20;

    /// <summary>The base is the mean of this part of the windows, the fastest ones.</summary>
    private const double BaseShare = 0.2;

    private static readonly TimeSpan s_window = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_memory = TimeSpan.FromSeconds(10);

    private readonly Queue<(TimeSpan At, double Inside)> _windows = new();
    private readonly int _lowest;
    private readonly int _highest;
    private LimitObservation _opened;
    private double _limit;
    private bool _isOpen;
    private bool _hasLowered;

    /// <summary>Creates a policy.</summary>
    /// <param name="start">Limit to begin with.</param>
    /// <param name="lowest">Lowest limit.</param>
    /// <param name="highest">Highest limit.</param>
    public BlindPolicy(int start, int lowest, int highest)
    {
        (_limit, _lowest, _highest) = (start, lowest, highest);
        Limit = start;
    }

    /// <summary>The limit that was decided last.</summary>
    public int Limit { get; private set; }

    /// <summary>Transactions that ended well per second in the last window in which the limit was what held others back; NaN before there was one.</summary>
    public double PerSecond { get; private set; } = double.NaN;

    /// <summary>Takes a look at the gate.</summary>
    public LimitDecision Observe(in LimitObservation now)
    {
        if (now.Limit != Limit)
        {
            (Limit, _limit) = (now.Limit, now.Limit);
            return Open(now);
        }

        if (now.Limit == 0 || !_isOpen || now.IsInterrupted || now.Failed - _opened.Failed > now.Ended - _opened.Ended)
        {
            // Off, or the database is away: its answers say nothing about the limit.
            return Open(now);
        }

        long timed = now.Timed - _opened.Timed;
        TimeSpan elapsed = now.Now - _opened.Now;
        return elapsed < s_window || timed < FewestTimed ? Hold() : Decide(now, elapsed, (now.InsideSeconds - _opened.InsideSeconds) / timed);
    }

    private LimitDecision Decide(in LimitObservation now, TimeSpan elapsed, double inside)
    {
        bool binds = now.Binds(_opened);
        double rate = (now.Ended - _opened.Ended) / elapsed.TotalSeconds;
        PerSecond = binds ? rate : PerSecond;
        _windows.Enqueue((now.Now, inside));
        while (_windows.Peek().At < now.Now - s_memory)
        {
            _windows.Dequeue();
        }

        bool isSlow = inside > Tolerance * Base();
        int before = Limit;
        if (isSlow && !_hasLowered)
        {
            _limit *= Kept;
        }
        else if (!isSlow && binds)
        {
            _limit += AddedPerSecond * elapsed.TotalSeconds;
        }

        // The window in which those leave that are too many says nothing yet.
        _hasLowered = isSlow && !_hasLowered;
        _limit = Math.Clamp(_limit, _lowest, _highest);
        Limit = (int)_limit;
        Open(now);
        if (Limit == before)
        {
            return Hold();
        }

        DecisionReason reason = Limit < before ? DecisionReason.JumpDown : DecisionReason.JumpUp;
        ControllerTrace trace = new() { From = before, To = Limit, Reason = reason, State = "Latency", ThroughputPerSecond = rate };
        return new LimitDecision(Limit, s_window, reason, trace);
    }

    private double Base()
    {
        double[] fastest = [.. _windows.Select(static w => w.Inside).Order()];
        return fastest.Take(Math.Max(1, (int)(BaseShare * fastest.Length))).Average();
    }

    private LimitDecision Open(in LimitObservation now)
    {
        _opened = now;
        _isOpen = true;
        return Hold();
    }

    private LimitDecision Hold() => new(Limit, s_window, DecisionReason.Hold);
}
