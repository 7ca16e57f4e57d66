namespace AdaptivePool.Dispatch;

/// <summary>Where threads and the places where they sleep come from: the system. Tests replace it to let creation fail.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal class ThreadSource<TSync>
    where TSync : struct, ISync
{
    public static ThreadSource<TSync> System { get; } = new();

    /// <summary>Starts threads that run on the time that all other threads leave.</summary>
    public static ThreadSource<TSync> Elastic { get; } = new ElasticThreadSource();

    /// <summary>Starts a background thread.</summary>
    /// <returns><see langword="false"/> when the system refused; the reason is in <paramref name="failure"/>.</returns>
    public virtual bool TryStart(Action body, string name, int stackSize, out Exception? failure)
    {
        try
        {
            TSync.Start(body, name, stackSize);
            failure = null;
            return true;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            failure = exception;
            return false;
        }
    }

    /// <summary>Starts a background thread that its owner cannot do without.</summary>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public void Start(Action body, string name)
    {
        if (!TryStart(body, name, stackSize: 0, out Exception? failure))
        {
            throw new InvalidOperationException(
                $"The system refuses the process the thread '{name}', without which the pool cannot run: {failure?.Message}", failure);
        }
    }

    /// <summary>Makes what a worker sleeps on.</summary>
    /// <exception cref="OutOfMemoryException">There is no memory for it.</exception>
    public virtual Parking CreateParking() => new WordParking<TSync>();

    /// <summary>The system's number of the calling thread, by which its clock and its files are found; 0 for none.</summary>
    public virtual int CurrentThreadId() => ThreadClock.CurrentThreadId();

    /// <summary>Waits after a refusal until it makes sense to ask again, or until the pool ends.</summary>
    /// <param name="wait">How long.</param>
    /// <param name="starter">The sleep of the thread that asks; it ends with the pool.</param>
    public virtual void WaitToRetry(TimeSpan wait, Doze<TSync> starter) => starter.Pause(wait);

    private sealed class ElasticThreadSource : ThreadSource<TSync>
    {
        public override bool TryStart(Action body, string name, int stackSize, out Exception? failure) => base.TryStart(
            () =>
            {
                ThreadRank.Lower();
                body();
            },
            name,
            stackSize,
            out failure);
    }
}
