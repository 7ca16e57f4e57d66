using AdaptivePool.Control;
using AdaptivePool.Sensing;
using AdaptivePool.Sizing;

namespace AdaptivePool.Simulation.Classes;

/// <summary>One work class of the plant: its queue, its items in flight, its policy, and what the policy is told.</summary>
internal sealed class SimulatedClass(ClassSizePolicy policy, int startLimit, int seed)
{
    private readonly Random _random = new(seed);
    private readonly LongServiceTime _long = new();
    private readonly List<(double At, long Completed)> _progress = [];
    private readonly ItemAges _ages = new();
    private GenerationStatistics _statistics;
    private int _generation;
    private double _coldUntil = double.NaN;
    private double _blockedShare = double.NaN;
    private double _sampleBlocked;
    private double _sampleBusy;
    private double _sampleSeconds;
    private double _sampleTransactionCpu;
    private double _limitSince;
    private int _unseen;
    private long _created;

    public ClassSizePolicy Policy { get; } = policy;

    public SimulatedWork Work
    {
        get;
        set
        {
            field = value;
            Server = value.Database ?? Server;
        }
    } = new();

    /// <summary>The server of the items in flight: it stays when new items need none.</summary>
    public ThroughputCurve? Server { get; private set; }

    public List<SimulatedItem> Items { get; } = [];

    public List<(double At, ClassDecision Decision)> Decisions { get; } = [];

    /// <summary>Clients that each send the next item when one has completed.</summary>
    public int Clients { get; private set; }

    public int Queued { get; private set; }

    public int StartLimit { get; } = startLimit;

    public int Limit { get; set; } = startLimit;

    public int PeakLimit { get; private set; } = startLimit;

    public int PeakActive { get; private set; }

    public int OpenConnections { get; private set; }

    /// <summary>What of the server's throughput the connections leave.</summary>
    public double ConnectionFactor => Items.Count < OpenConnections ? 1 - Work.RotationLoss : 1;

    public long Completed { get; private set; }

    public double WorkerCpuSeconds { get; private set; }

    public double LastCompletionAt { get; private set; }

    public int Transactions { get; set; }

    public bool Compiling(double now) => now < _coldUntil;

    /// <summary>Share of a core that compiling takes.</summary>
    public double CompilingCores(double now) => now < _coldUntil ? 1.2 : Math.Exp(-(now - _coldUntil) / (1.5 * Work.ColdSeconds)) is var x && x > 0.02
        ? 0.6 * x : 0;

    /// <summary>How much slower code runs that is not optimised yet.</summary>
    public double Slowness(double now) => double.IsNaN(_coldUntil) ? 1 : 1 + Math.Exp(-Math.Max(0, now - _coldUntil) / (2 * Work.ColdSeconds));

    public void SetClients(int clients)
    {
        Queued = Math.Max(0, Queued + clients - Clients);
        Clients = clients;
    }

    public void Enqueue(int items) => Queued += items;

    /// <summary>Queues one item. Each item that starts queues the next one, as the tasks of a loop do, until there were so many.</summary>
    public void EnqueueOneByOne(int items) => (Queued, _unseen) = (Queued + 1, items - 1);

    public bool TryStart(double now)
    {
        if (Queued == 0 || Items.Count >= Limit)
        {
            return false;
        }

        Take();
        Items.Add(Create(now));
        PeakActive = Math.Max(PeakActive, Items.Count);
        return true;
    }

    /// <summary>Moves an item on and starts the next one on the same worker, until the step is used up.</summary>
    public void Advance(int index, double now, double step, double cpuRate, double transactionRate)
    {
        double left = step;
        while (left > 0)
        {
            SimulatedItem item = Items[index];
            double cpuBefore = item.Cpu;
            left = item.Advance(left, cpuRate, transactionRate);
            WorkerCpuSeconds += cpuBefore - item.Cpu;
            if (!item.Done)
            {
                return;
            }

            if (Work.Database is not null)
            {
                // The worker's own part; the rest runs on threads of the runtime.
                double part = 0.4 * Work.TransactionCpuSeconds;
                WorkerCpuSeconds += part;
                _sampleTransactionCpu += part;
            }

            Complete(item, now + step - left);
            if (Queued == 0 || Items.Count > Limit)
            {
                Items.RemoveAt(index);
                return;
            }

            Take();
            Items[index] = Create(now + step - left);
        }
    }

    private void Take()
    {
        Queued -= _unseen > 0 ? 0 : 1;
        _unseen -= _unseen > 0 ? 1 : 0;
    }

    public void Sample(double seconds)
    {
        _sampleSeconds += seconds;
        _sampleBusy += Items.Count * seconds;
        _sampleBlocked += Items.Count(static i => !i.InCpu) * seconds;
        _long.Age(seconds);
        if (_sampleSeconds >= 0.03)
        {
            _blockedShare = _sampleBusy > 0 ? Math.Max(0, (_sampleBlocked - _sampleTransactionCpu) / _sampleBusy) : double.NaN;
            _sampleTransactionCpu = 0;
            (_sampleSeconds, _sampleBusy, _sampleBlocked) = (0, 0, 0);
        }
    }

    public ClassDecision Decide(double now, in MachineObservation machine, double cpuShare)
    {
        ClassObservation observation = Observe(now, cpuShare, machine.WholeCores);
        ClassDecision decision = Policy.Decide(observation, machine);
        if (decision.Reason != DecisionReason.Hold)
        {
            Decisions.Add((now, decision));
        }

        _progress.Add((now, Completed));
        return decision;
    }

    public void Adopt(int limit, double now)
    {
        if (limit == Limit)
        {
            return;
        }

        (Limit, _limitSince) = (limit, now);
        PeakLimit = Math.Max(PeakLimit, limit);
        _generation++;
        _statistics = default;
    }

    /// <summary>Mean completions per second between two moments.</summary>
    public double Rate(double from, double to) => (CompletedAt(to) - CompletedAt(from)) / (to - from);

    public bool Saw(DecisionReason reason) => Decisions.Exists(d => d.Decision.Reason == reason);

    public string Log() => string.Join('\n', Decisions.Select(static d =>
        $"{d.At * 1000,7:F0} ms {d.Decision.Trace?.From,5} -> {d.Decision.Limit,5} {d.Decision.Reason,-15} {d.Decision.Trace?.ThroughputPerSecond,8:F0}/s "
            + $"gain {d.Decision.Trace?.Gain:F2} u {d.Decision.Trace?.Utilisation:F2}"));

    private long CompletedAt(double at)
    {
        long completed = 0;
        foreach ((double time, long count) in _progress)
        {
            if (time > at)
            {
                break;
            }

            completed = count;
        }

        return completed;
    }

    private ClassObservation Observe(double now, double cpuShare, int cores)
    {
        _ages.Clear();
        foreach (SimulatedItem item in Items)
        {
            _ages.Add(Math.Max(0, now - item.StartedAt), item.IsSleeping);
        }

        return new()
        {
            Now = TimeSpan.FromSeconds(now),
            Limit = Limit,
            LimitSince = TimeSpan.FromSeconds(_limitSince),
            Active = Items.Count,
            Queued = Queued,
            Completed = Completed,
            Generation = _statistics,
            Old = Items.Count(i => i.Generation != _generation),
            Ages = _ages,
            OldestItemAge = TimeSpan.FromSeconds(_ages.Oldest),
            LongServiceSeconds = _long.Percentile(),
            MeanServiceSeconds = _long.Mean(),
            BlockedShare = _blockedShare,
            SleepingShare = Items.Count == 0 ? 0 : (double)Items.Count(static i => i.IsSleeping) / Items.Count,
            CpuShare = cpuShare,
            Cores = cores,
        };
    }

    private SimulatedItem Create(double now)
    {
        if (double.IsNaN(_coldUntil) && Work.ColdSeconds > 0)
        {
            _coldUntil = now + Work.ColdSeconds;
        }

        double connect = 0;
        int connected = Items.Count(static i => !i.Done);
        if (Work.Database is not null && connected >= OpenConnections)
        {
            OpenConnections++;
            connect = Work.ConnectSeconds;
        }

        return new()
        {
            StartedAt = now,
            Generation = _generation,
            Sleeps = Work.Sleeps,
            Cold = now < _coldUntil ? (_coldUntil - now) * (1 + (0.1 * _random.NextDouble())) : 0,
            Connect = connect,
            Cpu = Spread(Work.CpuSeconds) * Slowness(now),
            Transaction = Work.Database is null ? 0 : Spread(1) * Slowness(now),
            Blocked = Spread(Work.LongEvery > 0 && ++_created % Work.LongEvery == 0 ? Work.LongSeconds : Work.BlockedSeconds),
        };
    }

    private void Complete(SimulatedItem item, double now)
    {
        double service = now - item.StartedAt;
        Completed++;
        LastCompletionAt = now;
        Queued += Clients > 0 ? 1 : 0;
        _long.Add(service);
        if (item.Generation == _generation)
        {
            bool timed = service >= 0.001 || Completed % 8 == 0;
            _statistics = new(
                _statistics.Completed + 1,
                _statistics.Timed + (timed ? 1 : 0),
                _statistics.ServiceSeconds + (timed ? service : 0),
                _statistics.ServiceSecondsSquared + (timed ? service * service : 0));
        }
    }

    // Gamma-like spread with mean 1: the sum of exponential parts, as many as give the wanted variation.
    private double Spread(double mean)
    {
        if (mean <= 0 || Work.Spread <= 0)
        {
            return mean;
        }

        int parts = (int)Math.Max(1, Math.Round(1 / (Work.Spread * Work.Spread)));
        double sum = 0;
        for (int i = 0; i < parts; i++)
        {
            sum -= Math.Log(1 - _random.NextDouble());
        }

        return mean * sum / parts;
    }
}
