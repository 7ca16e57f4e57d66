using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>From some time on, holds up every worker that is woken, as a system does that has no processor for it.</summary>
internal sealed class SlowParkingSource : ThreadSource, IDisposable
{
    private readonly ManualResetEventSlim _goOn = new();
    private int _held;
    private bool _holds;

    /// <summary>Workers that were held up.</summary>
    public int Held => Volatile.Read(ref _held);

    /// <summary>From now on they are.</summary>
    public void Hold() => Volatile.Write(ref _holds, true);

    /// <summary>Lets them go on.</summary>
    public void LetGo()
    {
        Volatile.Write(ref _holds, false);
        _goOn.Set();
    }

    public override Parking CreateParking() => new SlowParking(this, base.CreateParking());

    public void Dispose()
    {
        LetGo();
        _goOn.Dispose();
    }

    private void Delay()
    {
        if (Volatile.Read(ref _holds))
        {
            Interlocked.Increment(ref _held);
            Eventually.Set(_goOn, "the test lets it go on");
        }
    }

    private sealed class SlowParking(SlowParkingSource source, Parking parking) : Parking
    {
        public override bool IsAsleep => parking.IsAsleep;

        public override void Park()
        {
            parking.Park();
            source.Delay();
        }

        public override void Unpark() => parking.Unpark();
    }
}
