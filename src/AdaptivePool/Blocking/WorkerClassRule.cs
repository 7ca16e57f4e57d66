namespace AdaptivePool.Blocking;

/// <summary>Distinguishes the states of a worker.</summary>
internal static class WorkerClassRule
{
    /// <summary>An item held for less time says nothing yet, nor does a window shorter than a clock tick of the kernel (4 to 10 ms).</summary>
    public const double LeastSeconds = 0.01;

    /// <summary>
    /// The runtime does not hold a worker that has used no CPU for this long. After a collection the threads leave a futex one after the other; on full cores
    /// the last was seen to do so after 0.1 s. Shorter than the time between two looks.
    /// </summary>
    public const double StillSeconds = 0.15;

    private const char Runnable = 'R';

    /// <summary>An item that uses less of the time stands still, even if it wakes now and then to look.</summary>
    private const double StillShare = 0.01;

    /// <summary>An item that uses more of the time computes. The rest is what a preempted neighbour or a page fault takes.</summary>
    private const double BusyShare = 0.8;

    /// <summary>Without a state from the kernel, an item that uses less of the time waits: the limit of the hog rule.</summary>
    private const double BlockedShare = 0.15;

    /// <summary>A longer window describes the past: the worker may have stopped computing since.</summary>
    private const double LongestSeconds = 1;

    /// <summary>
    /// Whether the CPU used in a window says what the worker does now. Where threads get no core, looks come late: a worker that is runnable now has computed,
    /// or would have.
    /// </summary>
    /// <param name="windowSeconds">Length of the window.</param>
    /// <param name="kernelState">The kernel's letter, where it was asked for.</param>
    public static bool IsTelling(double windowSeconds, char kernelState) => windowSeconds < LongestSeconds || kernelState == Runnable;

    /// <summary>Whether a worker that sleeps does so without being held by the runtime, wherever it sleeps.</summary>
    /// <param name="windowSeconds">Length of the window.</param>
    /// <param name="cpuShare">CPU time over wall time in it; NaN when not known.</param>
    /// <param name="wasBlocked">Whether it was blocked at the beginning of the window.</param>
    public static bool IsStill(double windowSeconds, double cpuShare, bool wasBlocked) =>
        cpuShare < StillShare && (wasBlocked || windowSeconds >= StillSeconds);

    public static WorkerState Classify(in WorkerObservation seen) =>
        !seen.HasItem ? WorkerState.Idle
        : seen.InWait || seen.Sleeps ? WorkerState.BlockedManaged
        : seen.ItemSeconds < LeastSeconds ? WorkerState.Running
        : seen.CpuShare > BusyShare ? WorkerState.Busy
        : seen.KernelState switch
        {
            'S' or 'D' => WorkerState.BlockedKernel,
            Runnable => double.IsNaN(seen.CpuShare) ? WorkerState.Running : WorkerState.Preempted,
            _ => seen.CpuShare < BlockedShare ? WorkerState.BlockedKernel : WorkerState.Running,
        };

    /// <summary>Whether the kernel's letter decides, because everything else leaves the state open.</summary>
    public static bool NeedsKernelState(in WorkerObservation seen) =>
        seen is { HasItem: true, InWait: false, Sleeps: false, ItemSeconds: >= LeastSeconds } && !(seen.CpuShare > BusyShare);
}
