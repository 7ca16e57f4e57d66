namespace AdaptivePool.Internal;

/// <summary>The sleep of a thread that looks at something while there is something to look at, and otherwise uses no processor.</summary>
/// <remarks>
/// The code that brings work: publish it, full fence (the caller's), <see cref="WakeUp"/>. The thread: say that it sleeps, full fence, look for work again,
/// sleep. At least one of the two sees the other.
/// The bell is no lock: a thread that calls never waits for it.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="hasWork">Whether there is something to look at. Called by the thread.</param>
/// <param name="isAsleep">Whether the thread begins with <see cref="Pause"/>, and looks at nothing until it is woken.</param>
internal sealed class Doze<TSync>(Func<bool> hasWork, bool isAsleep = false)
    where TSync : struct, ISync
{
    private readonly Bell<TSync> _bell = new();
    private int _asleep = isAsleep ? 1 : 0;
    private bool _isEnding;

    /// <summary>Whether the thread is to end.</summary>
    public bool IsEnding => TSync.RelaxedRead(ref _isEnding);

    /// <summary>Whether the thread sleeps until it is woken or its time is over. A hint.</summary>
    public bool IsAsleep => TSync.RelaxedRead(ref _asleep) != 0;

    /// <summary>Called when there is something to look at. Any thread may call it; it is a read when the thread is awake.</summary>
    public void WakeUp()
    {
        // Pairs with the exchange in Sleep: either the thread sees the work in its last look, or this call sees that it sleeps.
        if (TSync.RelaxedRead(ref _asleep) != 0 && TSync.Exchange(ref _asleep, 0) != 0)
        {
            Call();
        }
    }

    /// <summary>Cuts the present pause or sleep short, or the next one. Any thread may call it.</summary>
    public void Call() => _bell.Ring();

    /// <summary>Ends the thread.</summary>
    public void End()
    {
        // Published by the call: the thread, whose present or next wait ends by it, sees this.
        TSync.RelaxedWrite(ref _isEnding, true);
        Call();
    }

    /// <summary>Sleeps until there is something to look at, the end, or the given time is over. Only the thread itself may call it.</summary>
    /// <param name="most">The longest sleep; <see langword="null"/> for no limit.</param>
    /// <returns><see langword="false"/> when there was something to look at already.</returns>
    public bool Sleep(TimeSpan? most = null)
    {
        // Publish, fence, look again: pairs with WakeUp.
        TSync.Exchange(ref _asleep, 1);
        bool sleeps = !hasWork() && !IsEnding;
        if (sleeps)
        {
            _bell.Wait(most ?? Timeout.InfiniteTimeSpan);
        }

        TSync.RelaxedWrite(ref _asleep, 0);
        return sleeps;
    }

    /// <summary>Waits for a time, or until called. Only the thread itself may call it; the look that follows sees the reason of the call.</summary>
    /// <param name="most">The longest wait.</param>
    public void Pause(TimeSpan most)
    {
        if (!IsEnding)
        {
            _bell.Wait(most);
        }
    }
}
