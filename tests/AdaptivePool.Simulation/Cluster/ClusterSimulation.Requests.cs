namespace AdaptivePool.Simulation.Cluster;

/// <summary>What happens to requests and machines.</summary>
public sealed partial class ClusterSimulation
{
    /// <summary>How often machines change.</summary>
    private const double WeatherStep = 0.05;

    private void BeginSecond()
    {
        _trace.EndSecond(Now);
        if (Now > 0)
        {
            foreach (ClusterBackend backend in Backends)
            {
                (long arrived, long completed) = _trace.LastSecond(backend.Index);
                _policy.SizePool(backend, arrived, completed);
                StartAll(backend);
            }
        }

        int count = Now < _scenario.Seconds ? Poisson(_scenario.Rate(Now)) : 0;
        _outstanding += count;
        for (int i = 0; i < count; i++)
        {
            double at = Now + (_arrivals.NextDouble() * _scenario.ArrivalSpread);
            ClusterRequest request = new()
            {
                SentAt = at,
                Balancer = _arrivals.Next(_scenario.Balancers),
                Cpu = _scenario.Cpu(_arrivals),
                Sleep = _scenario.Sleep,
            };
            Add(at, new ClusterEvent(ClusterEventKind.Sent, request, -1, null));
        }

        Add(Now + 1, new ClusterEvent(ClusterEventKind.Second, null, -1, null));
    }

    private void TakeWeather()
    {
        foreach (ClusterBackend backend in Backends)
        {
            backend.Slowness = _scenario.Slowness(backend.Index, Now);
            backend.IsDrained = _scenario.IsDrained(backend.Index, Now);
            if (backend.Switch(_scenario.IsUp(backend.Index, Now)))
            {
                backend.Policy = _policy.CreateOverloadPolicy();
            }
        }

        _trace.Look(Now);
        Add(Now + WeatherStep, new ClusterEvent(ClusterEventKind.Weather, null, -1, null));
    }

    private void Forward(ClusterRequest request)
    {
        _candidates.Clear();
        foreach (ClusterBackend backend in Backends)
        {
            // A connection to a machine that is down is refused at once, and every balancer goes on to another one.
            if (backend.IsUp && !backend.IsDrained)
            {
                _candidates.Add(backend.Index);
            }
        }

        double retryAfter = 0;
        int chosen = _candidates.Count == 0 ? -1 : _policy.Choose(request.Balancer, _candidates, Now, out retryAfter);
        if (chosen >= 0)
        {
            request.Backend = chosen;
            request.ForwardedAt = Now;
            request.Life = Backends[chosen].Life;
            _policy.OnSent(request, Now);
            Add(Now + _scenario.Network, new ClusterEvent(ClusterEventKind.Arrived, request, chosen, null));
        }
        else if (_candidates.Count > 0 && Now + retryAfter - request.SentAt <= MostWait)
        {
            Add(Now + Math.Max(retryAfter, 1e-4), new ClusterEvent(ClusterEventKind.Retry, request, -1, null));
        }
        else
        {
            _outstanding--;
            _trace.Shed(request);
        }
    }

    private void Arrive(ClusterRequest request)
    {
        ClusterBackend backend = Backends[request.Backend];
        if (!backend.IsUp || backend.Life != request.Life)
        {
            Add(Now + _scenario.Network, new ClusterEvent(ClusterEventKind.Lost, request, -1, null));
            return;
        }

        backend.Arrive(request, Now);
        StartAll(backend);
    }

    private void StartAll(ClusterBackend backend)
    {
        while (backend.Begin(Now, out double cpu) is { } request)
        {
            Add(Now + cpu, new ClusterEvent(ClusterEventKind.LeftCore, request, -1, null));
        }
    }

    private void LeaveCore(ClusterRequest request)
    {
        ClusterBackend backend = Backends[request.Backend];
        if (backend.Life != request.Life)
        {
            Add(Now, new ClusterEvent(ClusterEventKind.Lost, request, -1, null));
            return;
        }

        backend.LeaveCore();
        if (request.Sleep > 0)
        {
            Add(Now + request.Sleep, new ClusterEvent(ClusterEventKind.Ended, request, -1, null));
            StartAll(backend);
        }
        else
        {
            End(request);
        }
    }

    private void End(ClusterRequest request)
    {
        ClusterBackend backend = Backends[request.Backend];
        if (backend.Life != request.Life)
        {
            Add(Now, new ClusterEvent(ClusterEventKind.Lost, request, -1, null));
            return;
        }

        backend.End(request, Now);
        StartAll(backend);
        Add(Now + _scenario.Network, new ClusterEvent(ClusterEventKind.Answered, request, -1, null));
    }

    private void Look(ClusterBackend backend)
    {
        if (backend.IsUp)
        {
            backend.Look(Now);
        }

        Add(Now + backend.Policy!.Interval.TotalSeconds, new ClusterEvent(ClusterEventKind.Look, null, backend.Index, null));
    }

    /// <summary>A Poisson number; the normal approximation, since means are hundreds.</summary>
    private int Poisson(double mean)
    {
        double normal = Math.Sqrt(-2 * Math.Log(1 - _arrivals.NextDouble())) * Math.Cos(2 * Math.PI * _arrivals.NextDouble());
        return (int)Math.Max(0, Math.Round(mean + (Math.Sqrt(mean) * normal)));
    }
}
