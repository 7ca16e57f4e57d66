using AdaptivePool.Control;
using AdaptivePool.Simulation.Classes;

namespace AdaptivePool.Tests.Sizing;

/// <summary>A class whose work changes once or twice, at random moments, with or without a pause before and another number of clients.</summary>
internal sealed class WorkChanges
{
    private static readonly double[] s_waits = [0.005, 0.02, 0.05, 0.2, 1];
    private static readonly double[] s_paces = [1, 1.0 / 3, 0.1, 1.0 / 30];
    private static readonly int[] s_clients = [20, 64, 128, 200];
    private static readonly double[] s_pauses = [1, 5, 60];

    private readonly List<Part> _parts = [];
    private readonly double _others;
    private readonly bool _isMachineKnown;
    private readonly int _seed;

    public WorkChanges(int seed)
    {
        Random random = new(seed);
        _seed = seed;
        int count = random.Next(3) == 0 ? 3 : 2;
        int clients = s_clients[random.Next(s_clients.Length)];
        for (int i = 0; i < count; i++)
        {
            (string name, SimulatedWork work) = Kind(random);
            if (i == 2 && random.Next(2) == 0)
            {
                (name, work) = (_parts[0].Name, _parts[0].Work);
            }

            double lasts = i == count - 1 ? 0 : i == 1 ? 1 + (2 * random.NextDouble()) : 0.5 * Math.Pow(30, random.NextDouble());
            double pause = i > 0 && random.Next(3) == 0 ? s_pauses[random.Next(s_pauses.Length)] : 0;
            clients = random.Next(3) == 0 ? s_clients[random.Next(s_clients.Length)] : clients;
            _parts.Add(new(name, work, lasts, clients, pause));
        }

        _others = random.Next(6) == 0 ? 1.9 : 0;
        _isMachineKnown = random.Next(8) != 0;
    }

    /// <summary>Others leave the cores alone, and a class that has just begun finds the size of the last work within five seconds.</summary>
    public bool IsFound => _others <= 0 && _parts[^1].Work.BlockedSeconds < 0.1;

    public override string ToString() => FormattableString.Invariant($"{_seed}: ") + string.Join(" -> ", _parts);

    /// <summary>Runs until five seconds after the last change.</summary>
    /// <returns>What completes in the last of them, as a share of what the best size does.</returns>
    public double Run(out string log)
    {
        SizingSimulation simulation = new(seed: _seed) { OthersCores = _others, MachineKnown = _isMachineKnown };
        SimulatedClass c = simulation.Add(_parts[0].Work, new HillClimbingController());
        foreach (Part part in _parts)
        {
            if (part.Pause > 0)
            {
                c.SetClients(0);
                simulation.Run(part.Pause);
            }

            c.Work = part.Work;
            c.SetClients(part.Clients);
            simulation.Run(part.Lasts);
        }

        double changed = simulation.Now;
        simulation.Run(5);
        log = FormattableString.Invariant($"{this}, changed at {changed:F2} s, limit {c.Limit}\n{c.Log()}");
        return c.Rate(changed + 4, changed + 5) / _parts[^1].Best;
    }

    private static (string Name, SimulatedWork Work) Kind(Random random)
    {
        double wait = s_waits[random.Next(s_waits.Length)];
        double cpu = wait >= 0.05 ? 0.000_3 : wait / 200;
        double pace = s_paces[random.Next(s_paces.Length)];
        double cold = random.Next(3) == 0 ? 0.2 : 0;
        return random.Next(7) switch
        {
            0 or 1 => ($"sleeps of {wait} s", new() { BlockedSeconds = wait, CpuSeconds = cpu, Spread = random.Next(2) * 0.3 }),
            2 => ($"even waits of {wait} s", new() { BlockedSeconds = wait, CpuSeconds = cpu, Sleeps = false }),
            3 => ($"uneven waits of {wait} s", new() { BlockedSeconds = wait, CpuSeconds = cpu, Sleeps = false, Spread = 0.5 }),
            4 => ($"remote server, pace {pace:F2}", new() { Database = Remote(pace), Spread = 0.5, ColdSeconds = cold }),
            5 => ($"local server, pace {pace:F2}", new() { Database = Local(pace), DatabaseIsLocal = true, Spread = 0.5, ColdSeconds = cold }),
            _ => ($"burns {wait / 50} s", new() { CpuSeconds = wait / 50, Spread = 0.3 }),
        };
    }

    private static ThroughputCurve Remote(double pace) => new(
        (1, 1_100 * pace), (2, 2_000 * pace), (4, 3_250 * pace), (8, 3_700 * pace), (16, 3_400 * pace), (32, 3_044 * pace), (64, 2_400 * pace),
        (256, 1_600 * pace), (1_024, 630 * pace));

    private static ThroughputCurve Local(double pace) => new(
        (1, 1_300 * pace), (2, 2_500 * pace), (4, 3_450 * pace), (8, 3_500 * pace), (16, 2_819 * pace), (32, 2_544 * pace), (64, 2_241 * pace),
        (256, 1_320 * pace), (1_024, 594 * pace));

    private sealed record Part(string Name, SimulatedWork Work, double Lasts, int Clients, double Pause)
    {
        // On two cores that nobody else uses.
        public double Best => Work.Database is { } server
            ? Math.Min(server.Peak, 2 / (Work.TransactionCpuSeconds + (Work.DatabaseIsLocal ? Work.ServerCpuSeconds : 0)))
            : Math.Min(Clients / (Work.BlockedSeconds + Work.CpuSeconds), 2 / Work.CpuSeconds);

        public override string ToString() =>
            FormattableString.Invariant($"{(Pause > 0 ? $"pause of {Pause} s, " : "")}{Name}, {Clients} clients{(Lasts > 0 ? $", {Lasts:F2} s" : "")}");
    }
}
