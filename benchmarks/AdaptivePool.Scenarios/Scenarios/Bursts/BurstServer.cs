namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>Who serves the requests: a pool of this process, or a database server with its own.</summary>
public abstract class BurstServer
{
    /// <summary>Operations that the device does in a second.</summary>
    public const int OperationsPerSecond = 200;

    /// <summary>A request that sleeps.</summary>
    /// <param name="time">How long.</param>
    /// <param name="tells">Whether it tells the pool of its wait, where that is a choice.</param>
    public abstract BurstWork Sleep(TimeSpan time, bool tells);

    /// <summary>A request that computes, and yields to nobody.</summary>
    public abstract BurstWork Compute(TimeSpan time);

    /// <summary>A request that waits for an operation of a device which does <see cref="OperationsPerSecond"/>.</summary>
    public abstract BurstWork Operate();

    /// <summary>A request that is served at once if anybody is there to serve it.</summary>
    /// <param name="apart">Whether it is known to be of another kind than the others, where kinds are known.</param>
    public abstract BurstWork Answer(bool apart);

    /// <summary>Threads at this moment.</summary>
    public abstract int Threads { get; }
}
