using AdaptivePool.Dispatch;
using AdaptivePool.Sensing;

namespace AdaptivePool;

/// <summary>
/// Tests which features of the system and the runtime do not work here. Each feature is tried once in a process, and each has a fallback that is only slower
/// or sees less.
/// </summary>
internal static class PlatformSupport
{
    private const int Flowing = 1;
    private static readonly Lazy<string[]> s_missing = new(Probe);

    /// <summary>What is missing in this process, each with what the pool does instead; empty when everything works.</summary>
    public static IReadOnlyList<string> Missing => s_missing.Value;

    private static string[] Probe()
    {
        var context = new ProbeContext();
        var source = new TaskCompletionSource();
        Task<int> awaiting;
        using (new UnderContext(context))
        {
            using var signal = new ManualResetEvent(initialState: false);
            signal.WaitOne(0);
            awaiting = AwaitAsync(source.Task);
        }

        // The result is set outside the context, because the runtime would run the continuation inline there, and outside the execution context that the
        // continuation must bring along.
        source.SetResult();
        bool isResumed = awaiting.IsCompletedSuccessfully;
        string?[] missing =
        [
            NativeMethods.HasFutex ? null : "no futex (waking a thread takes some 10 us longer)",
            ThreadClock.IsSupported ? null
                : "no CPU clock of other threads (only the process's CPU time distinguishes blocking in the kernel from computing)",
            ThreadProbe.IsSupported ? null : "no files about threads below /proc (reports name no system calls)",
            context.HasSeenWait ? null : "no notification of managed waits (the pool detects them some milliseconds later, and reports name no methods)",
            context.HasSeenPost && isResumed ? null : "no posted continuations (code after an await runs where the awaited task ended)",
            context.HasRecognised && isResumed && awaiting.Result == Flowing ? null : "no recognition of awaits (each needs one more execution context)",
        ];
        return [.. missing.OfType<string>()];
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
