namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>What is asked of one endpoint.</summary>
/// <param name="Name">The endpoint.</param>
/// <param name="Clients">Connections that each send a request, wait for the answer and send the next.</param>
/// <param name="Weight">Share of the time under load, relative to the other endpoints.</param>
/// <param name="Next">Makes the next request.</param>
internal sealed record Workload(string Name, int Clients, double Weight, Func<Random, Call> Next)
{
    public bool MovesMoney { get; init; }
}
