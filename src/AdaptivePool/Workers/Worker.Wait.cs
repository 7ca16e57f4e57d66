using AdaptivePool.Classes;

namespace AdaptivePool.Workers;

internal sealed partial class Worker
{
    private int _waitDepth;
    private int _declaredDepth;
    private string? _reason;
    private bool _waitsForTask;
    private bool _slotLent;

    /// <summary>Makes the first wait of a pool as cheap as later ones. Any thread.</summary>
    public static void PrepareWaits() => Blocking.WaitKind.Prepare();

    /// <summary>Whether the item stands in a wait that the hook saw, or inside <see cref="BlockingScope"/>.</summary>
    public bool Blocked => Volatile.Read(ref _waitDepth) > 0;

    /// <summary>Whether the wait is known to be a sleep or a wait for a task: the caller declared it, or its class mostly waits for tasks.</summary>
    public bool IsDeclared => Volatile.Read(ref _declaredDepth) > 0;

    /// <summary>Whether the present wait was seen to wait for a task.</summary>
    public bool WaitsForTask => Volatile.Read(ref _waitsForTask);

    /// <summary>What the outermost declared wait is for.</summary>
    public string? Reason => Volatile.Read(ref _reason);

    /// <summary>Opens a <see cref="BlockingScope"/> on the worker itself.</summary>
    public void EnterScope(string? reason)
    {
        if (_declaredDepth++ == 0)
        {
            Volatile.Write(ref _reason, reason);
        }

        EnterWait(declared: true);
    }

    /// <summary>Closes a <see cref="BlockingScope"/> on the worker itself.</summary>
    public void LeaveScope()
    {
        if (--_declaredDepth == 0)
        {
            Volatile.Write(ref _reason, null);
        }

        LeaveWait();
    }

    /// <summary>Called on the worker itself when its item starts to wait. Takes no lock that could enter the hook again; waits inside it nest.</summary>
    public void EnterWait(bool declared)
    {
        if (_waitDepth++ > 0 || _slot is not { } slot || (_sequence & 1) == 0)
        {
            return;
        }

        if (declared)
        {
            slot.CountDeclaredWait();
        }
        else if (slot.CountWait())
        {
            _waitsForTask = Blocking.WaitKind.CallerWaitsForTask();
            slot.CountSampledWait(_waitsForTask);
        }

        // What this worker would have run next is paid out here: it may be what the item waits for.
        SpillLocal();
        if (slot.IsInFlight)
        {
            // In-flight work that waits makes room for other in-flight work; root work does not: that would be growth per database call (design section 6).
            _slotLent = true;
            slot.Limit.Release();
        }

        // Pairs with enqueue, fence, look for room: work queued before is seen here, work queued later sees the free slot.
        Interlocked.MemoryBarrier();
        if (_set.HasInFlightWork() || slot.IsEligible)
        {
            _set.EnsureWorker();
        }
        else if (_set.Idle.IsEmpty)
        {
            _set.RequestThreads();
        }
    }

    /// <summary>Called on the worker itself when its item goes on.</summary>
    public void LeaveWait()
    {
        if (--_waitDepth > 0)
        {
            return;
        }

        _waitsForTask = false;
        if (_slotLent)
        {
            // Past the limit if need be: the item goes on, and the worker takes no new one while too many are active (rule R5).
            _slotLent = false;
            _slot!.Limit.Reacquire();
        }
    }
}
