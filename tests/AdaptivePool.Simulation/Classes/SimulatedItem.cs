namespace AdaptivePool.Simulation.Classes;

/// <summary>One item in flight: what is left of each part, in the order in which they happen.</summary>
internal sealed class SimulatedItem
{
    public required double StartedAt { get; init; }

    public required int Generation { get; init; }

    public required bool Sleeps { get; init; }

    public double Cold { get; set; }

    public double Connect { get; set; }

    public double Cpu { get; set; }

    public double Transaction { get; set; }

    public double Blocked { get; set; }

    public bool Done { get; set; }

    public bool InCold => Cold > 0;

    public bool InCpu => !InCold && Connect <= 0 && Cpu > 0;

    public bool InTransaction => !InCold && Connect <= 0 && Cpu <= 0 && Transaction > 0;

    public bool IsSleeping => Sleeps && !InCold && Connect <= 0 && Cpu <= 0 && Transaction <= 0 && Blocked > 0;

    /// <summary>Moves on by up to <paramref name="seconds"/>; answers what is left of them when the item is complete, otherwise 0.</summary>
    public double Advance(double seconds, double cpuRate, double transactionRate)
    {
        double left = Spend(seconds, 1, Cold, out double cold);
        Cold = cold;
        left = Spend(left, 1, Connect, out double connect);
        Connect = connect;
        left = Spend(left, cpuRate, Cpu, out double cpu);
        Cpu = cpu;
        left = Spend(left, transactionRate, Transaction, out double transaction);
        Transaction = transaction;
        left = Spend(left, 1, Blocked, out double blocked);
        Blocked = blocked;
        Done = Cold <= 0 && Connect <= 0 && Cpu <= 0 && Transaction <= 0 && Blocked <= 0;
        return Done ? left : 0;
    }

    private static double Spend(double seconds, double rate, double work, out double rest)
    {
        if (work <= 0 || seconds <= 0)
        {
            rest = work;
            return seconds;
        }

        double done = seconds * rate;
        if (done < work)
        {
            rest = work - done;
            return 0;
        }

        rest = 0;
        return seconds - (work / rate);
    }
}
