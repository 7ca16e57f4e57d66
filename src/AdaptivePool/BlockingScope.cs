using AdaptivePool.Guests;

namespace AdaptivePool;

/// <summary>
/// Tells the pool that the code inside the scope blocks, where the pool could not detect it at once (Thread.Sleep, system calls, native code). The scope ends
/// when it is disposed on the same thread, at the latest when the item ends. Scopes can be nested. A scope costs nanoseconds. The pool gives a class more
/// threads when nearly all of its workers are inside scopes, work waits, and none of its items ends for 5 ms, unless those workers are seen to compute. So
/// declare code that sleeps, and not code that waits for a server that serves only few callers at once. An outermost scope of 20 ms or more is counted when it
/// ends: <see cref="AdaptiveThreadPool.GetBlockers"/>. Disposing has no effect the second time, on another thread (as after an await inside), or for a scope
/// that was never opened.
/// </summary>
public readonly struct BlockingScope : IDisposable
{
    private readonly Worker? _worker;
    private readonly GuestSlot? _guest;
    private readonly long _number;

    internal BlockingScope(Worker worker, string? reason) => (_worker, _number) = (worker, worker.EnterScope(reason));

    internal BlockingScope(GuestSlot? guest) => (_guest, _number) = (guest, guest?.EnterScope() ?? 0);

    /// <summary>
    /// Opens a scope for the pool whose worker runs the calling code. In a guest (<see cref="WorkClass.TryRunAsGuest"/>) it only lets the code inside block
    /// where <see cref="BlockingAction"/> forbids it. Does nothing on any other thread.
    /// </summary>
    /// <param name="reason">
    /// What blocks, in a few words; shown in <see cref="PoolSnapshot.BlockingReasons"/> and <see cref="Blocker.Reason"/>. Use only few different reasons: the
    /// pool distinguishes 192 kinds of blockers.
    /// </param>
    public static BlockingScope Enter(string? reason = null) => Worker.Current is { } worker ? new(worker, reason) : new(GuestSlot.Running);

    /// <summary>Ends the scope, and all scopes inside it that are still open.</summary>
    public void Dispose()
    {
        // This thread must not change the worker of another thread. That worker's own item closes the scopes that it left open.
        if (_worker is not null && ReferenceEquals(Worker.Current, _worker))
        {
            _worker.LeaveScope(_number);
        }
        else if (_guest is not null && ReferenceEquals(GuestSlot.Running, _guest))
        {
            _guest.LeaveScope(_number);
        }
    }
}
