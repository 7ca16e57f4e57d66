using AdaptivePool.Control;
using AdaptivePool.Simulation.Classes;

namespace AdaptivePool.Simulation.Golden;

/// <summary>The situations that classes meet in a pool, each with the policy and the controller that a pool gives them.</summary>
internal static class GoldenSituations
{
    private static readonly SimulatedWork s_remote = new() { Database = ThroughputCurve.RemoteDatabase, ColdSeconds = 0.2, Spread = 0.5 };
    private static readonly SimulatedWork s_local = s_remote with { Database = ThroughputCurve.LocalDatabase, DatabaseIsLocal = true };
    private static readonly SimulatedWork s_short = new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_2, ColdSeconds = 0.02 };
    private static readonly SimulatedWork s_partner = new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_05, ColdSeconds = 0.05 };

    public static IEnumerable<Func<IReadOnlyList<GoldenTrace>>> All { get; } =
    [
        Batch("200 sleepers of 1 s", new() { BlockedSeconds = 1 }, 200),
        Batch("200 sleepers of 1 s, irregular ticks", new() { BlockedSeconds = 1 }, 200, tick: 0),
        Batch("1,000 sleepers of 100 ms", new() { BlockedSeconds = 0.1 }, 1_000),
        Batch("200 waits for tasks of 50 ms, cold 20 ms", new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_1, ColdSeconds = 0.02 }, 200),
        Batch("200 waits for tasks of 50 ms, cold 100 ms", new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_1, ColdSeconds = 0.1 }, 200),
        .. Closed("400 clients of 20 ms", s_short, 400, 4, seeds: 2),
        .. Closed("cold local database, 1,024 clients", s_local, 1_024, 6, seeds: 2),
        .. Closed("cold remote database, 1,024 clients", s_remote, 1_024, 6, seeds: 2),
        .. Closed("cold local database, 256 clients, twenty seconds", s_local, 256, 20, seeds: 1),
        () => From(72),
        () => From(512),
        .. Closed("slow connects, 1,024 clients", s_remote with { ConnectSeconds = 1 }, 1_024, 6, seeds: 2),
        .. Closed("cpu hogs of 10 us", new() { CpuSeconds = 0.000_01, Spread = 0.3 }, 32, 5, seeds: 1),
        .. Closed("cpu hogs of 50 ms", new() { CpuSeconds = 0.05, Spread = 0.3 }, 32, 5, seeds: 1),
        .. Closed("cpu hogs of 1.5 s", new() { CpuSeconds = 1.5, Spread = 0.3 }, 32, 5, seeds: 1),
        .. Closed("512 clients of 50 ms", new() { BlockedSeconds = 0.05 }, 512, 4, seeds: 1),
        () => Hogs(),
        () => Mixture(1),
        () => Mixture(2),
        () => Partner(),
        () => Blockers(),
        () => Change("transactions become sleeps", s_remote, new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_02 }, before: 4, after: 4),
        () => Change("sleeps become transactions", new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_02 }, s_remote with { ColdSeconds = 0 }, before: 3,
            after: 8),
        () => Loop("a loop of 1,000 sleeps of 100 ms that queues its next task, three times", new() { BlockedSeconds = 0.1, CpuSeconds = 0.000_1 }, 1_000),
        () => Loop("a loop of 2,000 transactions that queues its next task, three times", s_local, 2_000),
        () => Rest(),
        () => NeverEnds(),
        () => Alone("a noisy database, 256 clients", new() { ServerNoise = 0.2 }, s_remote, 256, 10),
        () => Alone("one core", new(cores: 1), new() { BlockedSeconds = 0.004, CpuSeconds = 0.000_1 }, 100, 4),
        () => Alone("a machine nobody knows", new() { MachineKnown = false }, new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_1 }, 200, 4),
    ];

    private static Func<IReadOnlyList<GoldenTrace>> Batch(string name, SimulatedWork work, int items, double tick = 0.003) => () =>
    {
        SizingSimulation simulation = new() { Tick = tick };
        SimulatedClass c = Add(simulation, work);
        c.Enqueue(items);
        simulation.RunUntil(() => c.Completed == items, 10);
        return Traces(name, simulation);
    };

    private static IReadOnlyList<GoldenTrace> Loop(string name, SimulatedWork work, int turns)
    {
        SizingSimulation simulation = new();
        SimulatedClass c = Add(simulation, work);
        for (int loops = 1; loops <= 3; loops++)
        {
            c.EnqueueOneByOne(turns);
            simulation.RunUntil(() => c.Completed == loops * turns, 30);
        }

        return Traces(name, simulation);
    }

    private static IEnumerable<Func<IReadOnlyList<GoldenTrace>>> Closed(string name, SimulatedWork work, int clients, double seconds, int seeds) =>
        Enumerable.Range(1, seeds)
            .Select<int, Func<IReadOnlyList<GoldenTrace>>>(seed => ()
            => Alone(seeds == 1 ? name : FormattableString.Invariant($"{name}, seed {seed}"), new(seed: seed), work, clients, seconds));

    private static IReadOnlyList<GoldenTrace> Alone(string name, SizingSimulation simulation, SimulatedWork work, int clients, double seconds)
    {
        Add(simulation, work).SetClients(clients);
        simulation.Run(seconds);
        return Traces(name, simulation);
    }

    private static IReadOnlyList<GoldenTrace> From(int start)
    {
        SizingSimulation simulation = new();
        simulation.Add(s_local, new HillClimbingController(), new() { MaxLimit = 2_048, StartLimit = start }).SetClients(256);
        simulation.Run(10);
        return Traces(FormattableString.Invariant($"local database, 256 clients, from {start} threads"), simulation);
    }

    private static IReadOnlyList<GoldenTrace> Hogs()
    {
        SizingSimulation simulation = new(cores: 4);
        for (int i = 0; i < 3; i++)
        {
            Add(simulation, new() { CpuSeconds = 0.02 }).SetClients(16);
        }

        simulation.Run(3);
        return Traces("hogs in three classes, four cores", simulation);
    }

    private static IReadOnlyList<GoldenTrace> Mixture(int seed)
    {
        SizingSimulation simulation = new(seed: seed);
        Add(simulation, s_local).SetClients(512);
        Add(simulation, s_partner).SetClients(512);
        simulation.Run(6);
        return Traces(FormattableString.Invariant($"database and partner, seed {seed}"), simulation);
    }

    private static IReadOnlyList<GoldenTrace> Partner()
    {
        SizingSimulation simulation = new() { OthersCores = 1.9 };
        Add(simulation, new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_005 }).SetClients(600);
        simulation.Run(3);
        return Traces("600 clients of 50 ms while others fill the CPU", simulation);
    }

    private static IReadOnlyList<GoldenTrace> Blockers()
    {
        SizingSimulation simulation = new();
        Add(simulation, new() { CpuSeconds = 0.000_05, BlockedSeconds = 0.001 }).SetClients(20);
        SimulatedClass blockers = Add(simulation, new() { BlockedSeconds = 2 });
        simulation.Run(1);
        blockers.Enqueue(300);
        simulation.Run(4);
        return Traces("300 blockers of 2 s beside short items", simulation);
    }

    private static IReadOnlyList<GoldenTrace> Change(string name, SimulatedWork first, SimulatedWork second, double before, double after)
    {
        SizingSimulation simulation = new(seed: 3);
        SimulatedClass c = Add(simulation, first);
        c.SetClients(512);
        simulation.Run(before);
        c.Work = second;
        simulation.Run(after);
        return Traces(name, simulation);
    }

    private static IReadOnlyList<GoldenTrace> Rest()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = Add(simulation, s_short with { CpuSeconds = 0.000_1 });
        c.SetClients(200);
        simulation.Run(3);
        c.SetClients(0);
        simulation.Run(20);
        c.SetClients(200);
        simulation.Run(1);
        return Traces("200 clients of 20 ms, twenty seconds of nothing, the same again", simulation);
    }

    private static IReadOnlyList<GoldenTrace> NeverEnds()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = Add(simulation, new() { BlockedSeconds = 10_000 });
        c.Enqueue(1);
        simulation.Run(0.05);
        c.Work = new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_1 };
        c.SetClients(200);
        simulation.Run(6);
        return Traces("200 clients of 20 ms beside an item that never ends", simulation);
    }

    private static SimulatedClass Add(SizingSimulation simulation, SimulatedWork work) => simulation.Add(work, new HillClimbingController());

    private static GoldenTrace[] Traces(string name, SizingSimulation simulation)
    {
        bool isOne = simulation.Classes.Count == 1;
        return
        [
            .. simulation.Classes.Select((c, i) => GoldenTrace.Of(
                isOne ? name : FormattableString.Invariant($"{name}, class {i + 1}"),
                simulation.Now,
                c.Completed,
                c.StartLimit,
                c.Decisions.Select(static d => (d.At, d.Decision.Limit, d.Decision.Reason.ToString())))),
        ];
    }
}
