using AdaptivePool.Sensing;

namespace AdaptivePool.Blocking;

/// <summary>What was seen of a worker between two looks.</summary>
/// <param name="HasItem">Whether it holds an item.</param>
/// <param name="InWait">Whether the item is in a wait that the hook saw or a scope declared.</param>
/// <param name="Sleeps">Whether the runtime shows the thread in a managed wait or sleep.</param>
/// <param name="ItemSeconds">How long it has held the item.</param>
/// <param name="CpuShare">CPU time over wall time without collections, since the last look; NaN when not known.</param>
/// <param name="KernelState">The kernel's letter for the thread; <see cref="ThreadProbe.Unknown"/> when it was not read or the kernel has none.</param>
/// <param name="SystemCall">The system call that the thread sleeps in; <see langword="null"/> when it was not read.</param>
internal readonly record struct WorkerObservation(
    bool HasItem, bool InWait, bool Sleeps, double ItemSeconds, double CpuShare, char KernelState, string? SystemCall = null);
