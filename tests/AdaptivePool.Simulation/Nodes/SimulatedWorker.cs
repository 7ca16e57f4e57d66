using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Simulation.Nodes;

/// <summary>A worker without a thread.</summary>
internal sealed class SimulatedWorker(int id, Action<int> onWake) : Sleeper<RealSync>(id, new NoParking(id, onWake))
{
    private sealed class NoParking(int id, Action<int> onWake) : Parking
    {
        public override bool IsAsleep => true;

        public override void Park()
        {
            // There is no thread to park.
        }

        public override void Unpark() => onWake(id);
    }
}
