namespace AdaptivePool.Simulation.Cluster;

/// <summary>Runs a scenario with a policy on virtual time, event by event. The same seed gives the same arrivals to every policy.</summary>
public sealed partial class ClusterSimulation
{
    /// <summary>How long a request may wait at a balancer when all backends are at their limit.</summary>
    public const double MostWait = 1;

    /// <summary>How long after the end requests that are still on their way are waited for; those that are then left took for ever.</summary>
    private const double LongestEnd = 60;

    private readonly PriorityQueue<ClusterEvent, (double At, long Number)> _events = new();
    private readonly ClusterPolicy _policy;
    private readonly ClusterScenario _scenario;
    private readonly Random _arrivals;
    private readonly List<int> _candidates = [];
    private readonly ClusterTrace _trace;
    private long _number;
    private int _outstanding;

    private ClusterSimulation(ClusterScenario scenario, ClusterPolicy policy, int seed)
    {
        (_scenario, _policy) = (scenario, policy);
        _arrivals = new Random(seed);
        PolicyRandom = new Random(seed + 1_000_003);
        Backends = [.. scenario.Machines.Select((machine, i) => new ClusterBackend(i, machine, scenario.Balancers))];
        _trace = new ClusterTrace(scenario, Backends);
    }

    /// <summary>The backends.</summary>
    public IReadOnlyList<ClusterBackend> Backends { get; }

    /// <summary>The scenario.</summary>
    public ClusterScenario Scenario => _scenario;

    /// <summary>What policies draw by: they must not change the arrivals.</summary>
    public Random PolicyRandom { get; }

    /// <summary>The present time.</summary>
    public double Now { get; private set; }

    /// <summary>Runs.</summary>
    public static ClusterTrace Run(ClusterScenario scenario, ClusterPolicy policy, int seed)
    {
        ArgumentNullException.ThrowIfNull(scenario);
        ArgumentNullException.ThrowIfNull(policy);
        ClusterSimulation simulation = new(scenario, policy, seed);
        simulation.Run();
        return simulation._trace;
    }

    /// <summary>Calls back after a time.</summary>
    public void After(double seconds, Action action) => Add(Now + seconds, new ClusterEvent(ClusterEventKind.Call, null, -1, action));

    private void Run()
    {
        _policy.Begin(this);
        foreach (ClusterBackend backend in Backends)
        {
            backend.Policy = _policy.CreateOverloadPolicy();
            if (backend.Policy is { } policy)
            {
                // Monitors of different machines look at different moments.
                Add(policy.Interval.TotalSeconds * (1 + ((double)backend.Index / Backends.Count)),
                    new ClusterEvent(ClusterEventKind.Look, null, backend.Index, null));
            }
        }

        Add(0, new ClusterEvent(ClusterEventKind.Second, null, -1, null));
        Add(0, new ClusterEvent(ClusterEventKind.Weather, null, -1, null));
        while (_events.TryDequeue(out ClusterEvent next, out (double At, long Number) key)
            && (key.At < _scenario.Seconds || (_outstanding > 0 && key.At < _scenario.Seconds + LongestEnd)))
        {
            Now = key.At;
            Do(next);
        }

        _trace.Unanswered(_outstanding);
        _trace.Probes = _policy.Probes;
    }

    private void Do(in ClusterEvent next)
    {
        switch (next.Kind)
        {
            case ClusterEventKind.Second:
                BeginSecond();
                break;
            case ClusterEventKind.Weather:
                TakeWeather();
                break;
            case ClusterEventKind.Sent:
            case ClusterEventKind.Retry:
                Forward(next.Request!);
                break;
            case ClusterEventKind.Arrived:
                Arrive(next.Request!);
                break;
            case ClusterEventKind.LeftCore:
                LeaveCore(next.Request!);
                break;
            case ClusterEventKind.Ended:
                End(next.Request!);
                break;
            case ClusterEventKind.Answered:
                _policy.OnAnswered(next.Request!, Now);
                _trace.Answered(next.Request!, Now);
                _outstanding--;
                break;
            case ClusterEventKind.Lost:
                _policy.OnLost(next.Request!, Now);
                _trace.Lost(next.Request!);
                _outstanding--;
                break;
            case ClusterEventKind.Look:
                Look(Backends[next.Backend]);
                break;
            case ClusterEventKind.Call:
                next.Action!();
                break;
        }
    }

    private void Add(double at, in ClusterEvent what) => _events.Enqueue(what, (at, _number++));
}
