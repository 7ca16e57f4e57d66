using System.Collections.Concurrent;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>What the hub's parts leave behind; a singleton, because hubs live for one call.</summary>
public sealed class HubVisits(AdaptiveThreadPool pool)
{
    public const int Blockers = 64;

    public AdaptiveThreadPool Pool { get; } = pool;

    public ConcurrentDictionary<string, string> Places { get; } = new();

    public TaskCompletionSource<string> Disconnected { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public CountdownEvent Entered { get; } = new(Blockers);

    public ManualResetEventSlim Open { get; } = new();
}
