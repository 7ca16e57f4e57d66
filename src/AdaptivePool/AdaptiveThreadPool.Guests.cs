using AdaptivePool.Control;

namespace AdaptivePool;

/// <remarks>Requests that never wait run where the server put them.</remarks>
public sealed partial class AdaptiveThreadPool
{
    /// <summary>
    /// The requests of a class run where the server put them from now on, or no longer, as <see cref="WorkClassSnapshot.HasGuests"/> says. Raised on a thread
    /// of the pool that is no worker: a handler must return quickly; what it throws is counted in <see cref="PoolSnapshot.Faulted"/>.
    /// </summary>
    public event EventHandler<WorkClassSnapshot>? GuestsChanged;

    /// <summary>A class with a size of the user's, or whose controller wants to see all of its work, has no guests.</summary>
    internal bool MayHaveGuests =>
        _options is { Guests: true, Sizing.CreateController: null } && _options.HillClimbing is not { Profile: ControllerProfile.SeedWave };

    internal void OnGuests(WorkClass workClass, bool areGuests, string reason)
    {
        _metrics.CountGuests(workClass.Name, areGuests);
        if (GuestsChanged is { } told)
        {
            Raise(told, workClass.GetSnapshot() with { HasGuests = areGuests, GuestReason = reason });
        }
    }
}
