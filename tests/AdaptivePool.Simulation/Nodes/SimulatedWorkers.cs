using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Simulation.Nodes;

/// <summary>Workers without threads, under the protocol that ships: who is woken is told to the simulation.</summary>
internal sealed class SimulatedWorkers : WakeProtocol<RealSync>
{
    private readonly Func<bool> _hasWork;

    /// <param name="count">How many.</param>
    /// <param name="hasWork">Whether work waits.</param>
    /// <param name="onWake">Called with the number of a worker that is woken.</param>
    public SimulatedWorkers(int count, Func<bool> hasWork, Action<int> onWake)
    {
        _hasWork = hasWork;
        All = [.. Enumerable.Range(0, count).Select(id => new SimulatedWorker(id, onWake))];
    }

    public IReadOnlyList<SimulatedWorker> All { get; }

    public override Sleeper<RealSync>? TryGet(int id) => All[id];

    public override bool HasEligibleWork() => _hasWork();
}
