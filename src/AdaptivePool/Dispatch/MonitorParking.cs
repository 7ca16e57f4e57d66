using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>Parking by a monitor: the portable fallback.</summary>
/// <remarks>The word: 0 nothing, 1 a permit, -1 the owner sleeps. Written inside the lock.</remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class MonitorParking<TSync> : Parking
    where TSync : struct, ISync
{
    private const int Nothing = 0;
    private const int Permit = 1;
    private const int Sleeping = -1;
    private readonly object _monitor = new();
    private int _word;

    public override bool IsAsleep => TSync.RelaxedRead(ref _word) == Sleeping;

    public override void Park()
    {
        TSync.Enter(_monitor);
        try
        {
            while (TSync.Read(ref _word) != Permit)
            {
                TSync.RelaxedWrite(ref _word, Sleeping);
                TSync.Wait(_monitor);
            }

            TSync.RelaxedWrite(ref _word, Nothing);
        }
        finally
        {
            TSync.Exit(_monitor);
        }
    }

    public override void Unpark()
    {
        TSync.Enter(_monitor);
        try
        {
            TSync.RelaxedWrite(ref _word, Permit);
            TSync.Pulse(_monitor);
        }
        finally
        {
            TSync.Exit(_monitor);
        }
    }
}
