using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Holds up the next one who wakes a worker, or the next worker that is woken, as a system does that has no processor for it.</summary>
internal sealed class HeldParkingSource : ThreadSource, IDisposable
{
    private readonly ManualResetEventSlim _isHeld = new();
    private readonly ManualResetEventSlim _goesOn = new();
    private int _wakers;
    private int _woken;

    /// <summary>Holds up the next waker, before its wake.</summary>
    public void HoldWaker() => Volatile.Write(ref _wakers, 1);

    /// <summary>Holds up the next woken worker, before it looks for work.</summary>
    public void HoldWoken() => Volatile.Write(ref _woken, 1);

    /// <summary>Waits until somebody is held up.</summary>
    public void AwaitHeld() => Eventually.Set(_isHeld, "somebody wakes a worker");

    /// <summary>Lets them go on.</summary>
    public void GoOn() => _goesOn.Set();

    public override Parking CreateParking() => new HeldParking(this, base.CreateParking());

    public void Dispose()
    {
        _isHeld.Dispose();
        _goesOn.Dispose();
    }

    private void Hold(ref int wanted)
    {
        if (Interlocked.Exchange(ref wanted, 0) != 0)
        {
            _isHeld.Set();
            Eventually.Set(_goesOn, "the test lets it go on");
        }
    }

    private sealed class HeldParking(HeldParkingSource source, Parking parking) : Parking
    {
        public override bool IsAsleep => parking.IsAsleep;

        public override void Park()
        {
            parking.Park();
            source.Hold(ref source._woken);
        }

        public override void Unpark()
        {
            source.Hold(ref source._wakers);
            parking.Unpark();
        }
    }
}
