namespace AdaptivePool.Tests.ModelChecking;

/// <remarks>
/// Turns that no strategy chooses: those of threads that were passed over, that wait for all others, that make way, that are interrupted, and of those that go
/// to sleep before a program begins.
/// </remarks>
internal sealed partial class Execution
{
    /// <summary>
    /// Steps after which a thread that could go on and was passed over gets its turn, at no cost: one that looks again and again for what another is about to
    /// write, and two that wake each other meanwhile, get an end.
    /// </summary>
    private const int FairSteps = 500;

    private bool _isSettling;

    /// <summary>Lets a thread sleep until nobody else can go on.</summary>
    public void AwaitRest(VirtualThread thread)
    {
        thread.Status = ThreadStatus.Resting;
        Block(thread);
        SeeAll(thread);
    }

    /// <summary>
    /// Lets all others that can go on have a turn first, at no cost: a thread that goes on for ever and says so is not the only one that moves.
    /// </summary>
    public void MakeWay(VirtualThread thread)
    {
        VirtualThread? longest = null;
        foreach (VirtualThread other in virtualThreads.AsSpan(0, _threads))
        {
            if (!ReferenceEquals(other, thread) && CanGoOn(other) && other.LastStep < (longest?.LastStep ?? int.MaxValue))
            {
                longest = other;
            }
        }

        if (longest is not null)
        {
            HandOver(thread, longest);
            thread.IsFresh = !IsOver;
        }

        if (IsOver)
        {
            Unwind(thread);
        }
    }

    /// <summary>Ends a wait of a thread that can be interrupted, or stays pending until the next one.</summary>
    public void Interrupt(VirtualThread thread, int id)
    {
        Step(thread, new Site(string.Empty, 0, OperationKind.Interrupt));
        VirtualThread target = virtualThreads[id];
        target.IsInterrupted = true;
        if (target is { MayBeInterrupted: true, Status: ThreadStatus.Asleep })
        {
            target.Status = ThreadStatus.Ready;
            target.LastStep = _step;
        }
    }

    private VirtualThread? PassedOver(ReadOnlySpan<int> candidates, VirtualThread? current)
    {
        VirtualThread? longest = null;
        foreach (int candidate in candidates)
        {
            VirtualThread thread = virtualThreads[candidate];
            if (!ReferenceEquals(thread, current) && _step - thread.LastStep > FairSteps && thread.LastStep < (longest?.LastStep ?? int.MaxValue))
            {
                longest = thread;
            }
        }

        return longest;
    }

    // Each thread goes on until it sleeps, and everybody has seen all of it: as if it had been long ago.
    private void Settle(Action onRest)
    {
        _isSettling = true;
        RunUntilRest(virtualThreads[0]);
        _isSettling = false;
        if (IsOver)
        {
            return;
        }

        foreach (VirtualThread thread in virtualThreads.AsSpan(0, _threads))
        {
            thread.LastStep = _step;
            SeeAll(thread);
        }

        SeeAll(_setup);
        PrepareAs(onRest);
        Fence(_setup);
    }

    private void RunUntilRest(VirtualThread first)
    {
        _running = first;
        first.Resume();
        _ended.Park();
    }

    private void SeeAll(VirtualThread thread)
    {
        foreach (Location location in _locations)
        {
            thread.Seen.See(location, location.Last);
        }
    }
}
