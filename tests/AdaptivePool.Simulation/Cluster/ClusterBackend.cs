using AdaptivePool.Balancing;
using AdaptivePool.Balancing.Overload;
using AdaptivePool.Control;
using AdaptivePool.Simulation.Controllers;

namespace AdaptivePool.Simulation.Cluster;

/// <summary>A backend of a simulated cluster: requests wait for a thread, then for a core, use it, sleep, and end.</summary>
public sealed class ClusterBackend
{
    private const double LatencyAge = 1;
    private const int LatenciesTaken = 21;

    private readonly Queue<ClusterRequest> _waiting = new();
    private readonly Queue<ClusterRequest> _ready = new();
    private readonly Queue<(double At, int InFlight, double Seconds)> _latencies = new();
    private readonly BalancerShares _shares;
    private readonly RateFollowingController _sizing = new(followsDown: true);
    private int _busyThreads;
    private int _busyCores;
    private double _queuedArrivals;
    private long _sequence;
    private ServiceTimeMean _serviceTime = new();
    private double _servedSeconds;

    /// <summary>Creates a backend.</summary>
    public ClusterBackend(int index, ClusterMachine machine, int balancers)
    {
        Index = index;
        Machine = machine;
        Threads = machine.Threads;
        _shares = new BalancerShares(Enumerable.Range(0, balancers).Select(ClusterNames.Balancer));
    }

    /// <summary>Its number.</summary>
    public int Index { get; }

    /// <summary>Its machine.</summary>
    public ClusterMachine Machine { get; }

    /// <summary>Threads of its pool; 0 for as many as requests come.</summary>
    public int Threads { get; set; }

    /// <summary>Factor on CPU times.</summary>
    public double Slowness { get; set; } = 1;

    /// <summary>Number of its run; one more after each failure.</summary>
    public int Life { get; private set; }

    /// <summary>Whether it runs.</summary>
    public bool IsUp { get; private set; } = true;

    /// <summary>Whether balancers are told to send it nothing new.</summary>
    public bool IsDrained { get; set; }

    /// <summary>Requests in it.</summary>
    public int InFlight { get; private set; }

    /// <summary>Requests that have arrived.</summary>
    public long Arrived { get; private set; }

    /// <summary>Requests that have ended.</summary>
    public long Completed { get; private set; }

    /// <summary>Requests that have no core yet.</summary>
    public int Queued => _waiting.Count + _ready.Count;

    /// <summary>What decides its overload point; <see langword="null"/> when nothing does.</summary>
    public IOverloadPolicy? Policy { get; set; }

    /// <summary>Whether its pool has been sized.</summary>
    public bool IsSized { get; set; }

    /// <summary>Its overload point.</summary>
    public OverloadPoint? Point { get; private set; }

    /// <summary>How often it was told anew.</summary>
    public int Signals { get; private set; }

    /// <summary>Mean time that those that have no core yet have waited, in seconds.</summary>
    public double AverageWait(double now) => Queued == 0 ? 0 : Math.Max(0, now - (_queuedArrivals / Queued));

    /// <summary>A second has ended: the pool follows the request rate, as the document's figures show it.</summary>
    /// <param name="arrived">Requests that have arrived in the second.</param>
    /// <param name="completed">Requests that have ended in the second.</param>
    public void FollowRate(long arrived, long completed) => Threads = _sizing.Update(new PoolSample
    {
        Elapsed = TimeSpan.FromSeconds(1),
        Completions = completed,
        Arrivals = arrived,
        Target = Threads,
        MinTarget = Machine.Cores,
        MaxTarget = int.MaxValue,
    }).Target;

    /// <summary>A request has arrived.</summary>
    public void Arrive(ClusterRequest request, double now)
    {
        request.ArrivedAt = now;
        request.FoundInFlight = InFlight;
        request.Life = Life;
        Arrived++;
        InFlight++;
        _queuedArrivals += now;
        _shares.Count(ClusterNames.Balancer(request.Balancer));
        _waiting.Enqueue(request);
    }

    /// <summary>The next request that can begin now, and how long it will use a core; <see langword="null"/> when none can.</summary>
    public ClusterRequest? Begin(double now, out double cpuSeconds)
    {
        while (_waiting.Count > 0 && (Threads == 0 || _busyThreads < Threads))
        {
            _busyThreads++;
            _ready.Enqueue(_waiting.Dequeue());
        }

        cpuSeconds = 0;
        if (_busyCores >= Machine.Cores || !_ready.TryDequeue(out ClusterRequest? request))
        {
            return null;
        }

        _busyCores++;
        _queuedArrivals = Queued == 0 ? 0 : _queuedArrivals - request.ArrivedAt;
        request.StartedAt = now;
        cpuSeconds = Slowness * (request.Cpu + Machine.Overhead(Threads));
        return request;
    }

    /// <summary>A request needs its core no more.</summary>
    public void LeaveCore() => _busyCores--;

    /// <summary>A request has ended.</summary>
    public void End(ClusterRequest request, double now)
    {
        _busyThreads--;
        InFlight--;
        Completed++;
        _servedSeconds += LongAnswer.Bound(TimeSpan.FromSeconds(now - request.StartedAt), _serviceTime.Value ?? TimeSpan.Zero).TotalSeconds;
        _latencies.Enqueue((now, request.FoundInFlight, now - request.ArrivedAt));
    }

    /// <summary>What a probe is told of the time of an answer: the median of the last second's that found about as many requests as are there now; 0 for
    /// none.</summary>
    public double LatencyNow(double now)
    {
        while (_latencies.TryPeek(out (double At, int InFlight, double Seconds) oldest) && oldest.At < now - LatencyAge)
        {
            _latencies.Dequeue();
        }

        double[] nearest = [.. _latencies.OrderBy(l => Math.Abs(l.InFlight - InFlight)).Take(LatenciesTaken).Select(l => l.Seconds).Order()];
        return nearest.Length == 0 ? 0 : nearest[nearest.Length / 2];
    }

    /// <summary>Its overload monitor takes a look.</summary>
    public void Look(double now)
    {
        OverloadPoint? point = Policy!.Observe(new QueueReading
        {
            Now = TimeSpan.FromSeconds(now),
            AverageWait = TimeSpan.FromSeconds(AverageWait(now)),
            Queued = Queued,
            Arrived = Arrived,
            Completed = Completed,
            IsSized = IsSized,
        });
        Signals += point != Point ? 1 : 0;
        Point = point;
        _serviceTime.Observe(TimeSpan.FromSeconds(now), Completed, TimeSpan.FromSeconds(_servedSeconds));
        _shares.EndPeriod();
    }

    /// <summary>What it tells a balancer.</summary>
    public LoadReport Report(int balancer)
    {
        double share = _shares.Of(ClusterNames.Balancer(balancer));
        return new LoadReport
        {
            Run = Life,
            Sequence = _sequence++,
            Point = Point is { } point ? new OverloadPoint(point.PerSecond * share) : null,
            InFlight = InFlight,
            ServiceTime = _serviceTime.Value,
            ServiceTimeAnswers = _serviceTime.Value is null ? null : (int)Math.Round(_serviceTime.Answers),
        };
    }

    /// <summary>Starts or ends; what is in it is lost.</summary>
    /// <returns>Whether that is a change.</returns>
    public bool Switch(bool isUp)
    {
        if (IsUp == isUp)
        {
            return false;
        }

        IsUp = isUp;
        Life++;
        _waiting.Clear();
        _ready.Clear();
        (_busyThreads, _busyCores, InFlight, _queuedArrivals) = (0, 0, 0, 0);
        Point = null;
        _serviceTime = new ServiceTimeMean();
        Threads = Machine.Threads;
        IsSized = false;
        _latencies.Clear();
        return true;
    }
}
