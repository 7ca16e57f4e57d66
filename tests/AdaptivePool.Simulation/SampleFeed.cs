using AdaptivePool.Control;

namespace AdaptivePool.Simulation;

/// <summary>A pool without noise and without lag: every sample holds exactly what the curve says.</summary>
internal sealed class SampleFeed(IPoolController controller, int start, Func<int, double> throughput)
{
    public IPoolController Controller { get; } = controller;

    public int Target { get; set; } = start;

    public TimeSpan Interval { get; set; } = TimeSpan.FromSeconds(1);

    public Func<int, double> Throughput { get; set; } = throughput;

    public Func<int, double> Utilisation { get; set; } = _ => double.NaN;

    public int Queued { get; set; } = 1000;

    public int Min { get; set; } = 1;

    public int Max { get; set; } = 1024;

    public int? Connections { get; set; }

    public TimeSpan ServiceTime { get; set; }

    public PoolSample Sample() => new()
    {
        Elapsed = Interval,
        Completions = (long)Math.Round(Throughput(Target) * Interval.TotalSeconds),
        Target = Target,
        MinTarget = Min,
        MaxTarget = Max,
        Queued = Queued,
        Active = Target,
        Utilisation = Utilisation(Target),
        Connections = Connections,
        MeanServiceTime = ServiceTime,
    };

    public SizeDecision Step()
    {
        SizeDecision decision = Controller.Update(Sample());
        Target = decision.Target;
        Interval = decision.NextInterval;
        return decision;
    }

    public List<SizeDecision> Run(int steps)
    {
        var decisions = new List<SizeDecision>();
        for (int i = 0; i < steps; i++)
        {
            decisions.Add(Step());
        }

        return decisions;
    }

    public SizeDecision RunUntil(DecisionReason reason, int atMost = 500)
    {
        for (int i = 0; i < atMost; i++)
        {
            SizeDecision decision = Step();
            if (decision.Reason == reason)
            {
                return decision;
            }
        }

        throw new InvalidOperationException($"No {reason} within {atMost} samples; the size is {Target}.");
    }
}
