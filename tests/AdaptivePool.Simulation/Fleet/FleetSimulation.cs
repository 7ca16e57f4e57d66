namespace AdaptivePool.Simulation.Fleet;

/// <summary>
/// Runs instances before one database on virtual time, event by event. Each sees its own gate, and what the others show where it may look at that.
/// </summary>
internal sealed class FleetSimulation
{
    /// <summary>Way to the server and back.</summary>
    private const double NetworkSeconds = 0.001;

    /// <summary>Looks come this share late or early, as threads do.</summary>
    private const double Jitter = 0.1;

    private readonly PriorityQueue<Action, (double At, long Number)> _events = new();
    private readonly Queue<Action> _atServer = new();
    private readonly FleetScenario _scenario;
    private readonly Random _random;
    private readonly FleetInstance[] _instances;
    private readonly FleetTrace _trace;
    private long _number;
    private double _now;
    private int _served;
    private double _openedAt;
    private bool _isBlind;

    private FleetSimulation(FleetScenario scenario, Func<int, IFleetLaw> law, int seed)
    {
        (_scenario, _random, _trace) = (scenario, new Random(seed), new FleetTrace(scenario));
        _instances = [.. Enumerable.Range(0, scenario.Instances).Select(i => new FleetInstance(law(i)))];
    }

    /// <summary>Runs.</summary>
    /// <param name="scenario">What happens.</param>
    /// <param name="law">Creates the law of an instance.</param>
    /// <param name="seed">What is drawn.</param>
    public static FleetTrace Run(FleetScenario scenario, Func<int, IFleetLaw> law, int seed)
    {
        FleetSimulation simulation = new(scenario, law, seed);
        simulation.Run();
        return simulation._trace;
    }

    private void Run()
    {
        for (int i = 0; i < _instances.Length; i++)
        {
            if (!_scenario.Changes.Any(c => c.Instance == i && c.Kind == FleetChangeKind.Joins))
            {
                Start(i, _scenario.Clients);
            }
        }

        foreach (FleetChange change in _scenario.Changes)
        {
            After(change.At, () => Change(change));
        }

        After(0, Note);
        while (_events.TryDequeue(out Action? next, out (double At, long Number) key) && key.At < _scenario.Seconds)
        {
            _now = key.At;
            next();
        }
    }

    private void Note()
    {
        _trace.Limits.Add(_instances.Where(static i => i.IsThere).Sum(static i => i.Limit));
        After(0.1, Note);
    }

    private void Start(int index, int clients)
    {
        _instances[index].IsThere = true;
        After(0.1 * _random.NextDouble(), () => Look(_instances[index]));
        Populate(index, clients);
    }

    private void Populate(int index, int clients)
    {
        FleetInstance instance = _instances[index];
        instance.Clients = clients;
        if (clients == 0)
        {
            instance.Clear();
        }

        for (int missing = clients - instance.Present; missing > 0; missing--)
        {
            Come(index);
        }
    }

    private void Change(FleetChange change)
    {
        FleetInstance instance = _instances[change.Instance];
        switch (change.Kind)
        {
            case FleetChangeKind.Joins:
                Start(change.Instance, change.Clients);
                break;
            case FleetChangeKind.Leaves or FleetChangeKind.Dies:
                instance.IsThere = false;
                instance.Told = change.Kind == FleetChangeKind.Dies ? instance.Told : null;
                Populate(change.Instance, 0);
                break;
            case FleetChangeKind.Blinds or FleetChangeKind.Opens:
                _isBlind = change.Kind == FleetChangeKind.Blinds;
                break;
            default:
                Populate(change.Instance, change.Clients);
                break;
        }
    }

    private void Look(FleetInstance instance)
    {
        if (!instance.IsThere)
        {
            return;
        }

        TimeSpan again = instance.Look(_now, _isBlind ? null : Exchange);
        After(again.TotalSeconds * (1 + (Jitter * (_random.NextDouble() - 0.5))), () => Look(instance));
        int index = Array.IndexOf(_instances, instance);
        while (instance.Next())
        {
            Send(index);
        }

        IReadOnlyList<string> Exchange(string line)
        {
            instance.Told = line;
            return [.. _instances.Select(static i => i.Told).OfType<string>()];
        }
    }

    private void Come(int index)
    {
        if (_instances[index].Enter())
        {
            Send(index);
        }
    }

    private void Send(int index)
    {
        double sent = _now;
        double opens = 0;
        if (_instances[index].OpensSession())
        {
            _openedAt = Math.Max(_now, _openedAt) + _scenario.Server.SessionSeconds;
            opens = _openedAt - _now;
        }

        After(NetworkSeconds + opens, () =>
        {
            if (_served < _scenario.Server.Slots)
            {
                Serve(index, sent);
            }
            else
            {
                _atServer.Enqueue(() => Serve(index, sent));
            }
        });
    }

    private void Serve(int index, double sent)
    {
        _served++;
        After(_scenario.Server.Draw(_served + _atServer.Count, _random, _now, _now < _openedAt), () =>
        {
            _served--;
            if (_atServer.TryDequeue(out Action? next))
            {
                next();
            }

            End(index, sent);
        });
    }

    private void End(int index, double sent)
    {
        FleetInstance instance = _instances[index];
        instance.Leave(_now - sent);
        _trace.Ended(index, _now);
        if (instance.Present < instance.Clients)
        {
            Come(index);
        }

        while (instance.Next())
        {
            Send(index);
        }
    }

    private void After(double seconds, Action action) => _events.Enqueue(action, (_now + seconds, _number++));
}
