namespace AdaptivePool;

/// <summary>Tells that the requests of a class run where the server put them from now on, or no longer; see <see cref="WorkClass.TryRunAsGuest"/>.</summary>
public sealed class GuestsChangedEventArgs(WorkClass workClass, bool areGuests, string reason) : EventArgs
{
    /// <summary>The class.</summary>
    public WorkClass WorkClass { get; } = workClass;

    /// <summary>Whether they do.</summary>
    public bool AreGuests { get; } = areGuests;

    /// <summary>Why, in words.</summary>
    public string Reason { get; } = reason;
}
