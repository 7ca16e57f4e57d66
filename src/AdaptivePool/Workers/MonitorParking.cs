using AdaptivePool.Internal;

namespace AdaptivePool.Workers;

/// <summary>Parking by a monitor: the portable fallback.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class MonitorParking<TSync> : Parking
    where TSync : struct, ISync
{
    private readonly object _gate = new();
    private int _permit;

    public override void Park()
    {
        TSync.Enter(_gate);
        try
        {
            while (TSync.Read(ref _permit) == 0)
            {
                TSync.Wait(_gate);
            }

            TSync.Write(ref _permit, 0);
        }
        finally
        {
            TSync.Exit(_gate);
        }
    }

    public override void Unpark()
    {
        TSync.Enter(_gate);
        try
        {
            TSync.Write(ref _permit, 1);
            TSync.Pulse(_gate);
        }
        finally
        {
            TSync.Exit(_gate);
        }
    }
}
