using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Threads of the system that sleep as where there is no futex.</summary>
internal sealed class EventParkingSource : ThreadSource<RealSync>
{
    public override Parking CreateParking() => new WordParking<RealSync>(byFutex: false);
}
