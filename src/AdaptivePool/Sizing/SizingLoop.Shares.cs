using AdaptivePool.Dispatch;

namespace AdaptivePool.Sizing;

/// <remarks>What classes with a weight need of sizing.</remarks>
internal sealed partial class SizingLoop
{
    /// <summary>Slots for classes with a weight before anything was measured.</summary>
    public int SharedSlots => Math.Max(1, (int)Math.Ceiling(_cpu.Cores));

    /// <summary>Looks who of those that have a slot waits, and gives out as many others.</summary>
    private void SizeShares(Worker?[] workers, in MachineObservation machine)
    {
        if (_set.Shares is not { } shares)
        {
            return;
        }

        double waiting = 0;
        foreach (Worker? worker in workers)
        {
            // One that the hook has seen has no slot any more.
            if (worker is { HoldsShared: true, Slot: { } slot } && (worker.Sequence & 1) != 0)
            {
                double blocked = _watch.Of(slot)?.BlockedShare ?? double.NaN;
                waiting += worker.IsSeenWaiting ? 1 : double.IsNaN(blocked) ? 0 : blocked;
            }
        }

        int next = SharedSlotRule.Next(
            shares.Slots.Value, shares.Slots.Active, !shares.IsEmpty, waiting, machine.IdleShare, machine.WholeCores, Math.Max(1, _set.MaxThreads));
        if (next != shares.Slots.Value)
        {
            _set.SetSharedSlots(next);
        }
    }

    private int ShareLimit(ClassCore core, int limit, in MachineObservation machine) =>
        core.Share is null || _isFixed ? limit : SharedSlotRule.ClassLimit(limit, machine.WholeCores, _set.MaxThreads);
}
