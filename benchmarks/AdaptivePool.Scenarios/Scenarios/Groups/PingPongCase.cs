namespace AdaptivePool.Scenarios.Scenarios.Groups;

/// <summary>Clients of which each queues its next item some time after the last one has ended.</summary>
/// <param name="Name">Name of the case.</param>
/// <param name="Description">What is done, in one line.</param>
/// <param name="Clients">How many.</param>
/// <param name="GapMicroseconds">CPU time of the client between two items.</param>
/// <param name="Spins">Whether the client keeps a core of its own while it waits for its item, as one on another machine would; otherwise it sleeps.</param>
public sealed record PingPongCase(string Name, string Description, int Clients, double GapMicroseconds, bool Spins)
{
    /// <summary>All of them.</summary>
    public static IReadOnlyList<PingPongCase> All { get; } =
    [
        new("batch-near", "a client on a core of its own, next item after 20 us; in turns with and without BatchWait", 1, 20, Spins: true),
        new("batch-50us", "the same after 50 us", 1, 50, Spins: true),
        new("batch-asleep", "a client that sleeps until its item has ended, the next one at once", 1, 0, Spins: false),
        new("batch-asleep-50us", "the same after 50 us", 1, 50, Spins: false),
        new("batch-spins-at-once", "a client on a core of its own, next item at once", 1, 0, Spins: true),
        new("batch-two", "two clients that sleep, next item after 20 us", 2, 20, Spins: false),
        new("batch-crowd", "eight such clients", 8, 20, Spins: false),
    ];
}
