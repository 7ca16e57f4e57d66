namespace AdaptivePool.Simulation.Classes;

/// <summary>What one item of a class does: the first use costs, a connection, CPU, a sleep, a database transaction; each part may be absent.</summary>
internal sealed record SimulatedWork
{
    /// <summary>CPU of one item, in seconds.</summary>
    public double CpuSeconds { get; init; }

    /// <summary>Time one item is blocked, in seconds.</summary>
    public double BlockedSeconds { get; init; }

    /// <summary>One item in so many is blocked for <see cref="LongSeconds"/> in place of <see cref="BlockedSeconds"/>; 0 for none.</summary>
    public int LongEvery { get; init; }

    /// <summary>Time such an item is blocked, in seconds.</summary>
    public double LongSeconds { get; init; }

    /// <summary>The blocking shows as sleeping (a sleep, or a wait for a task of the pool); a blocking socket read does not.</summary>
    public bool Sleeps { get; init; } = true;

    /// <summary>Relative spread of an item's CPU, blocking and database work.</summary>
    public double Spread { get; init; }

    /// <summary>The server behind one transaction per item; null when there is none.</summary>
    public ThroughputCurve? Database { get; init; }

    /// <summary>The server runs on our cores.</summary>
    public bool DatabaseIsLocal { get; init; }

    /// <summary>Own CPU of one transaction, in seconds, on whichever thread.</summary>
    public double TransactionCpuSeconds { get; init; } = 0.000_25;

    /// <summary>The server's CPU of one transaction, in seconds.</summary>
    public double ServerCpuSeconds { get; init; } = 0.000_3;

    /// <summary>Time to open a connection that is not open yet, in seconds.</summary>
    public double ConnectSeconds { get; init; }

    /// <summary>
    /// Share of the server's throughput that is lost while more connections are open than used: a driver that hands them out in turn keeps all of them lukewarm
    /// (sizing study, section 5: a quarter after one connection too many).
    /// </summary>
    public double RotationLoss { get; init; }

    /// <summary>First items wait this long for compiling and loading, in seconds; compiling goes on at a falling pace for a second.</summary>
    public double ColdSeconds { get; init; }
}
