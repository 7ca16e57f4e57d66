namespace AdaptivePool.Stacks;

/// <summary>Where a thread waits, as its stack shows.</summary>
/// <param name="Method">The first method of the program itself, or the framework's when no other code is on the stack; <see langword="null"/> when all that is
/// there is a package's or was made at run time.</param>
/// <param name="Kind">What it calls, as in <see cref="Blocker.Kind"/>.</param>
/// <param name="MayThrow">
/// Whether an exception in place of the wait does no harm: the method calls the wait itself, not something of the framework that waits, and the wait is
/// written to fail, as that for a task, an event, a semaphore or a thread is, and a lock is not.
/// </param>
/// <param name="IsOwn">Whether the pool itself waits.</param>
/// <param name="Target">What the wait is for, as far as more threads could help or hurt.</param>
internal sealed record WaitSite(string? Method, string Kind, bool MayThrow, bool IsOwn, WaitTarget Target);
