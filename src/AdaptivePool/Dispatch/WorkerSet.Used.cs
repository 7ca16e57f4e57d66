using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Dispatch;

/// <remarks>Root classes with work, waiting or running: the sizing thread looks at these and at no others.</remarks>
internal sealed partial class WorkerSet<TSync>
{
    private readonly ReadySet<TSync> _used;

    /// <summary>The next class that has had work since it was last left out (<see cref="LeaveIfUnused"/>); <see langword="null"/> when there is none.</summary>
    /// <param name="from">The first number that is looked at.</param>
    public ClassCore<TSync>? NextUsed(int from)
    {
        int number = _used.Next(from);
        return number >= 0 && Classes is var classes && number < classes.Length ? classes[number] : null;
    }

    /// <summary>Leaves a root class out of <see cref="NextUsed"/> until it has work again, if it has none. Sizing only.</summary>
    public void LeaveIfUnused(ClassCore<TSync> core)
    {
        bool restored = false;
        if (_used.Find(core.Number, core.Number + 1, ref restored) >= 0 || restored || !core.Queue.LetGo())
        {
            return;
        }

        if (Publish())
        {
            LookAgain(core);
        }
        else
        {
            HandOver(core);
        }
    }

    /// <summary>Whether items of a class were read and not released yet: sizing does not rest before that.</summary>
    public bool HasRead
    {
        get
        {
            ClassCore<TSync>? core = NextUsed(0);
            while (core is { Queue.IsRead: false })
            {
                core = NextUsed(core.Number + 1);
            }

            return core is not null;
        }
    }

    /// <summary>Notes that items of a root class were read: sizing looks at the class until it has no work, and then releases them (decision 99).</summary>
    public void NoteRead(ClassCore<TSync> core)
    {
        core.Queue.NoteRead();

        // Pairs with the drop in LeaveIfUnused: the class is found there as read, or is noted after it. And with the exchange in Doze.Sleep.
        TSync.Fence();
        _used.Note(core.Number);
        OnHeldUp();
    }

    // A number may be seen before its class, here and in IsReady.
    private bool IsUsed(int number) => Classes is var classes && number < classes.Length && classes[number] is { } found
        && (!found.Queue.IsEmpty || found.Limit.Active > 0);
}
