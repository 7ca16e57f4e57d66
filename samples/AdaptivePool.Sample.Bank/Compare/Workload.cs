namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>What is asked of one endpoint.</summary>
/// <param name="Name">The endpoint.</param>
/// <param name="Clients">Connections that each send a request, wait for the answer and send the next.</param>
/// <param name="Weight">Share of the time under load, relative to the other endpoints.</param>
/// <param name="Next">Makes the next request.</param>
internal sealed record Workload(string Name, int Clients, double Weight, Func<Random, Call> Next)
{
    public bool MovesMoney { get; init; }

    /// <summary>Whether its requests keep a thread waiting for long.</summary>
    public bool Blocks { get; init; }

    /// <summary>Clients of the warm-up. One has the code compiled without giving a pool a reason to grow.</summary>
    public int WarmUpClients { get; init; } = 1;

    /// <summary>Load beside it, which is not judged. With it, the workload is asked at a fixed rate instead of by its clients, so that an answer that is late
    /// does not make requests rare.</summary>
    public IReadOnlyList<Workload> Beside { get; init; } = [];

    /// <summary>Connections of the workload and of the load beside it.</summary>
    public int AllClients => Beside.Count == 0 ? Clients : Beside.Sum(b => b.Clients);
}
