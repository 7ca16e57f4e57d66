namespace AdaptivePool.Dispatch;

/// <summary>What one worker sleeps on. A permit that arrives before the worker sleeps is kept, so no wake is lost; permits do not add up.</summary>
internal abstract class Parking
{
    /// <summary>Sleeps until a permit is there and takes it. Only the owner calls this.</summary>
    public abstract void Park();

    /// <summary>Gives the permit. Any thread.</summary>
    public abstract void Unpark();

    /// <summary>Whether the owner sleeps, or is about to, and no permit is there. Any thread; a hint while the owner or a waker moves.</summary>
    public abstract bool IsAsleep { get; }
}
