using AdaptivePool.Internal;

namespace AdaptivePool.Blocking;

/// <summary>The sleep of a thread that looks at something as long as there is something to look at, and wakes nobody's processor otherwise.</summary>
/// <remarks>
/// Who brings work: publish it, full fence (the caller's), <see cref="WakeUp"/>. The thread: say that it sleeps, full fence, look for work again, sleep. At least one of the two sees the other.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="hasWork">Whether there is something to look at. Called by the thread.</param>
internal sealed class Doze<TSync>(Func<bool> hasWork)
    where TSync : struct, ISync
{
    private readonly object _gate = new();
    private int _asleep;
    private bool _isEnding;
    private bool _isCalled;

    /// <summary>Whether the thread is to end.</summary>
    public bool IsEnding => TSync.RelaxedRead(ref _isEnding);

    /// <summary>Called when there is something to look at. Any thread; a read when the thread is awake.</summary>
    public void WakeUp()
    {
        // Pairs with the exchange in Sleep: either the thread sees the work in its last look, or we see it asleep.
        if (TSync.RelaxedRead(ref _asleep) != 0 && TSync.Exchange(ref _asleep, 0) != 0)
        {
            Call();
        }
    }

    /// <summary>Ends the thread.</summary>
    public void End()
    {
        TSync.RelaxedWrite(ref _isEnding, true);
        Call();
    }

    /// <summary>Sleeps until there is something to look at, or the end. Own thread only.</summary>
    public void Sleep()
    {
        // Publish, fence, look again: pairs with WakeUp.
        TSync.Exchange(ref _asleep, 1);
        if (!hasWork())
        {
            TSync.Enter(_gate);
            while (!TSync.RelaxedRead(ref _isCalled) && !IsEnding)
            {
                TSync.Wait(_gate);
            }

            TSync.RelaxedWrite(ref _isCalled, false);
            TSync.Exit(_gate);
        }

        TSync.RelaxedWrite(ref _asleep, 0);
    }

    /// <summary>Waits for a time, or until the end. Own thread only.</summary>
    /// <param name="most">How long.</param>
    public void Pause(TimeSpan most)
    {
        TSync.Enter(_gate);
        if (!TSync.RelaxedRead(ref _isCalled) && !IsEnding)
        {
            TSync.Wait(_gate, most);
        }

        // Who called during the pause is seen by the look that follows it.
        TSync.RelaxedWrite(ref _isCalled, false);
        TSync.Exit(_gate);
    }

    private void Call()
    {
        TSync.Enter(_gate);
        TSync.RelaxedWrite(ref _isCalled, true);
        TSync.Pulse(_gate);
        TSync.Exit(_gate);
    }
}
