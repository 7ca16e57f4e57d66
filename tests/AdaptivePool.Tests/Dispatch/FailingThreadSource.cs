using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Refuses threads from the k-th attempt on, as a system without memory or process slots does, until it is told to stop.</summary>
internal sealed class FailingThreadSource(int firstFailure) : ThreadSource
{
    private int _firstFailure = firstFailure;
    private int _attempts;
    private int _failures;
    private volatile bool _recovered;

    public int Attempts => Volatile.Read(ref _attempts);

    public int Failures => Volatile.Read(ref _failures);

    /// <summary>From now on threads are given.</summary>
    public void Recover() => _recovered = true;

    /// <summary>From now on no thread is given.</summary>
    public void Exhaust() => Volatile.Write(ref _firstFailure, 0);

    /// <summary>Whether a refusal is an exception out of the making of a worker instead of a thread that is not given.</summary>
    public bool Throws { get; init; }

    public override Parking CreateParking()
    {
        if (Throws && !_recovered && Interlocked.Increment(ref _attempts) >= Volatile.Read(ref _firstFailure))
        {
            Interlocked.Increment(ref _failures);
            throw new OutOfMemoryException("injected");
        }

        return base.CreateParking();
    }

    public override bool TryStart(Action body, string name, int stackSize, out Exception? failure)
    {
        if (!Throws && Interlocked.Increment(ref _attempts) >= Volatile.Read(ref _firstFailure) && !_recovered)
        {
            Interlocked.Increment(ref _failures);
            failure = new OutOfMemoryException("injected");
            return false;
        }

        return base.TryStart(body, name, stackSize, out failure);
    }
}
