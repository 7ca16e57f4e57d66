using AdaptivePool.Dispatch;
using AdaptivePool.Internal;
using AdaptivePool.Sensing;

namespace AdaptivePool;

/// <summary>
/// What of the system and the runtime works here. Each is tried once in a process, and each has a fallback that is only slower or sees less.
/// </summary>
internal sealed record PlatformSupport
{
    private const int Flowing = 1;
    private static readonly Lazy<PlatformSupport> s_present = new(Probe);

    /// <summary>What works in this process.</summary>
    public static PlatformSupport Present => s_present.Value;

    /// <summary>Threads park by a futex; otherwise by an event.</summary>
    public bool HasFutex { get; init; } = true;

    /// <summary>The CPU time of another thread can be read; otherwise a worker that computes and one that waits in the kernel look alike.</summary>
    public bool HasThreadClocks { get; init; } = true;

    /// <summary>The kernel's files tell the state of a thread; otherwise reports name no system calls.</summary>
    public bool HasKernelFiles { get; init; } = true;

    /// <summary>The runtime tells a context of each managed wait; otherwise waits are noticed like sleeps, some milliseconds later.</summary>
    public bool HasWaitHook { get; init; } = true;

    /// <summary>The continuation of an await is posted to the context that it began under; otherwise it goes on where the awaited task ended.</summary>
    public bool HasPostedAwaits { get; init; } = true;

    /// <summary>What the runtime posts for an await is recognised, and brings its execution context; otherwise each await captures one more.</summary>
    public bool HasAwaitRecognition { get; init; } = true;

    /// <summary>What is said about a system on which the pool has to do without something: one line; <see langword="null"/> when everything works.</summary>
    public string? Message
    {
        get
        {
            (bool Works, string Lack)[] all =
            [
                (HasFutex, "no futex (waking a thread takes some 10 us longer)"),
                (HasThreadClocks, "no CPU clock of other threads (work that blocks in the kernel is told from work that computes by the process's CPU alone)"),
                (HasKernelFiles, "no files about threads below /proc (reports name no system calls)"),
                (HasWaitHook, "no notification of managed waits (they are noticed some milliseconds later, and reports name no methods)"),
                (HasPostedAwaits, "no posted continuations (what follows an await runs where the awaited task ended)"),
                (HasAwaitRecognition, "no recognition of awaits (each takes an execution context more)"),
            ];
            string[] missing = [.. all.Where(static it => !it.Works).Select(static it => it.Lack)];
            return missing.Length == 0 ? null
                : $"The self-test found {string.Join(", ", missing)}. The pool does without; 'Platforms' in its README says what that costs. "
                    + "Nothing needs to be done";
        }
    }

    private static PlatformSupport Probe()
    {
        var context = new ProbeContext();
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(context);
        var source = new TaskCompletionSource();
        Task<int> awaiting;
        try
        {
            using var signal = new ManualResetEvent(initialState: false);
            signal.WaitOne(0);
            awaiting = AwaitAsync(source.Task);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }

        // Not under the context: the runtime runs a continuation inline there. Nor under the execution context that it must bring along.
        source.SetResult();
        return new PlatformSupport
        {
            HasFutex = NativeMethods.HasFutex,
            HasThreadClocks = ThreadClock.IsSupported,
            HasKernelFiles = ThreadProbe.IsSupported,
            HasWaitHook = context.HasSeenWait,
            HasPostedAwaits = context.HasSeenPost && awaiting.IsCompletedSuccessfully,
            HasAwaitRecognition = context.HasRecognised && awaiting.IsCompletedSuccessfully && awaiting.Result == Flowing,
        };
    }

    private static async Task<int> AwaitAsync(Task task)
    {
        var flow = new AsyncLocal<int> { Value = Flowing };
        await task;
        return flow.Value;
    }

    private sealed class ProbeContext : SynchronizationContext
    {
        public ProbeContext() => SetWaitNotificationRequired();

        public bool HasSeenWait { get; private set; }

        public bool HasSeenPost { get; private set; }

        public bool HasRecognised { get; private set; }

        public override int Wait(nint[] waitHandles, bool waitAll, int millisecondsTimeout)
        {
            HasSeenWait = true;
            return WaitHelper(waitHandles, waitAll, millisecondsTimeout);
        }

        public override void Post(SendOrPostCallback d, object? state)
        {
            HasSeenPost = true;
            HasRecognised = AwaitCallbacks.BringsItsContext(d, state);
            d(state);
        }

        public override SynchronizationContext CreateCopy() => this;
    }
}
