namespace AdaptivePool.Sizing;

/// <remarks>The part of sizing for classes with a weight.</remarks>
internal sealed partial class SizingLoop
{
    private SharedStall _sharedStall;

    /// <summary>Slots for classes with a weight before anything has been measured.</summary>
    public int SharedSlots => Math.Max(1, (int)Math.Ceiling(_cpu.Cores));

    /// <summary>Counts the workers that have a slot and wait, and gives out one further slot for each.</summary>
    private void SizeShares(Worker?[] workers, in MachineObservation machine, double now)
    {
        if (_set.Shares is not { } shares)
        {
            return;
        }

        double waiting = 0;
        foreach (Worker? worker in workers)
        {
            // A worker that the hook has seen waiting has no slot any more.
            if (worker is { HoldsShared: true, Slot: { } slot } && (worker.Sequence & 1) != 0)
            {
                double blocked = _watch.Of(slot)?.BlockedShare ?? double.NaN;
                waiting += worker.IsSeenWaiting ? 1 : double.IsNaN(blocked) ? 0 : blocked;
            }
        }

        bool isPressed = !shares.IsEmpty;
        bool mustBegin = _sharedStall.Observe(shares.Turns, isPressed, now);
        int next = SharedSlotRule.Next(
            shares.Slots.Value, shares.Slots.Active, isPressed, waiting, machine.IdleShare, machine.WholeCores, Math.Max(1, _set.MaxThreads), mustBegin);
        if (next != shares.Slots.Value)
        {
            _set.SetSharedSlots(next);
        }
    }

    /// <summary>
    /// Limits of classes with a weight after the merge. Their slots and the place of all root work bound them. A part of the maximum for each class would
    /// share by heads and not by weights.
    /// </summary>
    private void KeepShareLimits(in MachineObservation machine)
    {
        for (int i = 0; i < _sizings.Count && _set.Shares is not null; i++)
        {
            _limits[i] = Math.Max(_limits[i], LeastLimit(_sizings[i].Core, machine));
        }
    }

    private int LeastLimit(ClassCore core, in MachineObservation machine) =>
        core.Share is null ? 1 : SharedSlotRule.LeastLimit(machine.WholeCores, _set.MaxThreads);
}
