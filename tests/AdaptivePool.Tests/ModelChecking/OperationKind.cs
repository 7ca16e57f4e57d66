namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Kinds of calls of the shim.</summary>
internal enum OperationKind
{
    Read,
    Write,
    RelaxedRead,
    RelaxedWrite,
    VolatileRead,
    VolatileWrite,
    Exchange,
    CompareExchange,
    Increment,
    Decrement,
    Fence,
    Enqueue,
    Dequeue,
    Look,
    FutexWait,
    FutexWake,
    Enter,
    Exit,
    Wait,
    Pulse,
}
