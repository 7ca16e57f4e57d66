using AdaptivePool.Internal;

namespace AdaptivePool.Workers;

/// <summary>Where threads and their beds come from. Tests replace it to let creation fail.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal abstract class ThreadSource<TSync>
    where TSync : struct, ISync
{
    public static ThreadSource<TSync> System { get; } = new SystemThreadSource();

    /// <summary>Starts a background thread.</summary>
    /// <returns><see langword="false"/> when the system refused; the reason is in <paramref name="failure"/>.</returns>
    public abstract bool TryStart(Action body, string name, int stackSize, out Exception? failure);

    /// <summary>Makes a worker's bed.</summary>
    /// <exception cref="OutOfMemoryException">There is no memory for it.</exception>
    public virtual Parking CreateParking() => Parking.Create<TSync>();

    /// <summary>Waits after a refusal until it makes sense to ask again, or until the pool ends.</summary>
    /// <param name="wait">How long.</param>
    /// <param name="ended">Set when the pool ends.</param>
    public virtual void WaitToRetry(TimeSpan wait, StopSignal<TSync> ended) => ended.Wait(wait);

    private sealed class SystemThreadSource : ThreadSource<TSync>
    {
        public override bool TryStart(Action body, string name, int stackSize, out Exception? failure)
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
    }
}
