using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Threads as a system has them of which nothing is known: parked by an event, without clocks and files.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class PortableThreadSource<TSync> : ThreadSource<TSync>
    where TSync : struct, ISync
{
    public override Parking CreateParking() => new WordParking<TSync>(byFutex: false);

    public override int CurrentThreadId() => 0;
}
