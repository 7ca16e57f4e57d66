using AdaptivePool.Control;
using AdaptivePool.Sizing;

namespace AdaptivePool.Simulation.Classes;

/// <summary>
/// Virtual time plant: classes of closed-loop clients on shared cores, a server whose throughput depends on its concurrency, and the policies called at every
/// tick with what a real pool could measure. Deterministic for a seed.
/// </summary>
internal sealed class SizingSimulation(int cores = 2, int maxThreads = 2_048, int seed = 1)
{
    private const double Step = 0.000_25;
    private readonly LimitMerge _merge = new();
    private readonly Random _random = new(seed);
    private MachineUse _use;
    private readonly List<double> _ownWindow = [];
    private readonly List<double> _idleWindow = [];
    private double _serverFactor = 1;
    private double _serverFactorUntil;
    private double _nextTick;
    private double _threads;

    public List<SimulatedClass> Classes { get; } = [];

    public double Now { get; private set; }

    /// <summary>Length of a tick in seconds; 0 for irregular ticks of 1 to 8 ms and now and then 50 to 250 ms.</summary>
    public double Tick { get; init; } = 0.003;

    /// <summary>Relative swing of the server's throughput from one tenth of a second to the next.</summary>
    public double ServerNoise { get; init; } = 0.1;

    /// <summary>CPU that other processes take, in cores.</summary>
    public double OthersCores { get; set; }

    public bool MachineKnown { get; init; } = true;

    public int PeakThreads { get; private set; }

    public SimulatedClass Add(SimulatedWork work, IPoolController? hold = null, ClassSizeSettings? settings = null)
    {
        ClassSizeSettings s = settings ?? new() { StartLimit = cores, MaxLimit = maxThreads };
        SimulatedClass added = new(new(s, hold), s.StartLimit, seed + Classes.Count) { Work = work };
        Classes.Add(added);
        return added;
    }

    public void Run(double seconds) => RunUntil(static () => false, seconds);

    /// <summary>Runs until something has happened, at most for so long; answers whether it has.</summary>
    public bool RunUntil(Func<bool> happened, double seconds)
    {
        double end = Now + seconds;
        while (Now < end)
        {
            if (Now >= _nextTick && !IsAsleep)
            {
                TickOnce();
                _nextTick = Now + NextTick();
            }

            Advance();
            Now += Step;
            if (happened())
            {
                return true;
            }
        }

        return happened();
    }

    // A pool without work has no ticks, unless a policy still needs them.
    private bool IsAsleep => Classes.TrueForAll(static c => c.Items.Count == 0 && c.Queued == 0 && !c.Policy.HoldsUnverified);

    private double NextTick()
    {
        if (Tick > 0)
        {
            return Tick;
        }

        return _random.Next(200) == 0 ? 0.05 + (0.2 * _random.NextDouble()) : 0.001 + (0.007 * _random.NextDouble());
    }

    private void TickOnce()
    {
        double own = _ownWindow.Count > 0 ? _ownWindow.Average() : 0;
        double idle = _idleWindow.Count > 0 ? _idleWindow.Average() : cores;
        MachineObservation machine = new(own, idle, cores, MachineKnown && Now >= 0.03);
        _use = _use.With(TimeSpan.FromSeconds(Now), machine);
        machine = machine with { Use = _use };
        double cpu = Classes.Sum(static c => c.WorkerCpuSeconds);
        int count = Classes.Count;
        ClassClaim[] claims = new ClassClaim[count];
        int[] limits = new int[count];
        for (int i = 0; i < count; i++)
        {
            double share = cpu > 0 ? Classes[i].WorkerCpuSeconds / cpu : double.NaN;
            SimulatedClass c = Classes[i];
            claims[i] = new(c.Decide(Now, machine, share).Limit, c.Items.Count + c.Queued, c.Policy.IsHog);
        }

        _merge.Merge(claims, cores + 1, maxThreads, limits);
        for (int i = 0; i < count; i++)
        {
            Classes[i].Adopt(limits[i], Now);
        }
    }

    private void Advance()
    {
        // 1,000 thread starts take 105 ms.
        _threads = Math.Min(_threads + (Step * 9_500), Math.Max(_threads, Classes.Sum(static c => Math.Min(c.Limit, c.Items.Count + c.Queued)) + 1));
        foreach (SimulatedClass c in Classes)
        {
            while (Classes.Sum(static x => x.Items.Count) < _threads && c.TryStart(Now))
            {
            }
        }

        PeakThreads = Math.Max(PeakThreads, Classes.Sum(static c => c.Items.Count));
        if (Now >= _serverFactorUntil)
        {
            _serverFactorUntil = Now + 0.1;
            double noise = ServerNoise * Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble())) * Math.Cos(2 * Math.PI * _random.NextDouble());
            _serverFactor = Math.Exp((0.6 * Math.Log(_serverFactor)) + (0.8 * noise));
        }

        double compiling = Math.Min(cores, Classes.Sum(c => c.CompilingCores(Now)));
        double transactionCpu = 0;
        double serverCpu = 0;
        int runnable = 0;
        foreach (SimulatedClass c in Classes)
        {
            c.Transactions = c.Items.Count(static i => i.InTransaction);
            runnable += c.Items.Count(static i => i.InCpu);
            if (c.Server is { } server && c.Transactions > 0)
            {
                double rate = server.At(c.Transactions) * _serverFactor * c.ConnectionFactor / c.Slowness(Now);
                transactionCpu += rate * c.Work.TransactionCpuSeconds;
                serverCpu += c.Work.DatabaseIsLocal ? rate * c.Work.ServerCpuSeconds : 0;
            }
        }

        // Runnable workers and the transactions share what is left in proportion to what they ask for.
        double free = Math.Max(0.05 * cores, cores - OthersCores - compiling);
        double asked = runnable + transactionCpu + serverCpu;
        double granted = asked > free ? free / asked : 1;
        double cpuRate = Math.Min(1, granted);
        double own = Math.Min(cores, compiling + (granted * (transactionCpu + runnable)));
        serverCpu *= granted;
        Remember(own, Math.Max(0, cores - own - serverCpu - OthersCores));
        foreach (SimulatedClass c in Classes)
        {
            double transactionRate = c.Transactions > 0 ? granted * c.Server!.At(c.Transactions) * _serverFactor * c.ConnectionFactor / c.Transactions
                : c.Server?.At(1) ?? 1;
            c.Sample(Step);
            for (int i = c.Items.Count - 1; i >= 0; i--)
            {
                c.Advance(i, Now, Step, cpuRate, transactionRate);
            }
        }
    }

    private void Remember(double own, double idle)
    {
        _ownWindow.Add(own);
        _idleWindow.Add(idle);
        if (_ownWindow.Count > (int)(0.03 / Step))
        {
            _ownWindow.RemoveAt(0);
            _idleWindow.RemoveAt(0);
        }
    }
}
