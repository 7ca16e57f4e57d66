namespace AdaptivePool.Blocking;

/// <summary>Reads a stack of names, innermost first: who waits, and for what.</summary>
internal static class WaitSiteRule
{
    /// <summary>Frames between the hook and the public method that waits: hook, monitor, event, task; twelve is twice what .NET 10 has.</summary>
    private const int FramesOfAWait = 12;

    /// <summary>Types of this pool that run items: below them the stack is the pool's.</summary>
    private static readonly string[] s_runners = ["AdaptivePool.Workers.Worker", "AdaptivePool.AdaptiveTaskScheduler", "AdaptivePool.AsyncItem", "AdaptivePool.Blocking.PostedItem", "AdaptivePool.Hosting."];

    private static readonly (string Kind, WaitPrimitive Primitive) s_lock = ("lock", WaitPrimitive.Lock);

    public static WaitSite Find(ReadOnlySpan<FrameName> frames)
    {
        string kind = "lock";
        var primitive = WaitPrimitive.Lock;
        FrameName? outermost = null;
        bool isDirect = false;
        foreach (FrameName frame in frames)
        {
            if (frame.Assembly.Length == 0)
            {
                // A method made at run time, as for a route handler, into which the program's own was inlined. It has no name that helps; the class has.
                return new WaitSite(null, kind, primitive, isDirect, IsOwn: false, TargetOf(frames));
            }

            if (IsOwn(frame))
            {
                if (outermost is null)
                {
                    // The hook itself.
                    continue;
                }

                bool isOwn = !Array.Exists(s_runners, runner => frame.Type.StartsWith(runner, StringComparison.Ordinal));
                return new WaitSite(NameOf(outermost.Value), kind, primitive, IsDirect: false, isOwn, TargetOf(frames));
            }

            if (!IsFramework(frame))
            {
                // A contended lock statement can have no frame of its own.
                return new WaitSite(NameOf(frame), kind, primitive, isDirect || outermost is null, IsOwn: false, TargetOf(frames));
            }

            outermost = frame;
            isDirect = Recognise(frame, ref kind, ref primitive);
        }

        return new WaitSite(outermost is { } last ? NameOf(last) : null, kind, primitive, IsDirect: false, IsOwn: false, TargetOf(frames));
    }

    private static WaitTarget TargetOf(ReadOnlySpan<FrameName> frames)
    {
        foreach (FrameName frame in frames[..Math.Min(frames.Length, FramesOfAWait)])
        {
            if (string.Equals(frame.Type, "System.Threading.Tasks.Task", StringComparison.Ordinal) && IsWait(frame.Method))
            {
                return WaitTarget.Task;
            }

            if (frame.Type.StartsWith("System.Net.", StringComparison.Ordinal))
            {
                return WaitTarget.Network;
            }
        }

        return WaitTarget.Local;
    }

    // A method of a type that one can wait for need not be one that waits: Release, Set, Signal, ContinueWith and WaitAsync may only meet a lock that the type takes inside, and an exception out of it would leave half-done what
    // nobody expects to fail.
    private static bool Recognise(FrameName frame, ref string kind, ref WaitPrimitive primitive)
    {
        (string Kind, WaitPrimitive Primitive)? found = TypeWithoutArity(frame.Type) switch
        {
            "System.Threading.Tasks.Task" or "System.Threading.Tasks.ValueTask" => IsWait(frame.Method) ? (TaskKind(frame.Method), WaitPrimitive.Task) : s_lock,
            "System.Runtime.CompilerServices.TaskAwaiter" or "System.Runtime.CompilerServices.ValueTaskAwaiter" => AwaiterKind(frame.Method),
            "System.Runtime.CompilerServices.ConfiguredTaskAwaitable" or "System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable" => AwaiterKind(frame.Method),
            "System.Threading.SemaphoreSlim" => IsWait(frame.Method) ? ("SemaphoreSlim", WaitPrimitive.Event) : s_lock,
            "System.Threading.ManualResetEventSlim" or "System.Threading.WaitHandle" or "System.Threading.CountdownEvent" or "System.Threading.Barrier" => IsWait(frame.Method) ? ("event", WaitPrimitive.Event) : s_lock,
            "System.Threading.Thread" => frame.Method.Contains("Join", StringComparison.Ordinal) ? ("Thread.Join", WaitPrimitive.Event) : s_lock,
            "System.Threading.Monitor" => IsWait(frame.Method) ? ("Monitor.Wait", WaitPrimitive.MonitorWait) : s_lock,
            "System.Threading.Lock" or "System.Threading.ReaderWriterLockSlim" or "System.Threading.ReaderWriterLock" => s_lock,
            _ => null,
        };
        if (found is not { } recognised)
        {
            return false;
        }

        (kind, primitive) = recognised;
        return true;
    }

    // SetResult completes a task, and names that end in Async return one. A task that runs at once but not here is waited for.
    private static bool IsWait(string method) =>
        (method.Contains("Wait", StringComparison.Ordinal) && !method.Contains("Async", StringComparison.Ordinal))
        || method.Contains("GetResult", StringComparison.Ordinal) || method.Contains("get_Result", StringComparison.Ordinal) || method.Contains("RunSynchronously", StringComparison.Ordinal);

    // Of an awaiter everything but the registration of what follows belongs to GetResult.
    private static (string Kind, WaitPrimitive Primitive) AwaiterKind(string method) =>
        method.Contains("OnCompleted", StringComparison.Ordinal) ? s_lock : ("GetAwaiter().GetResult()", WaitPrimitive.Task);

    // Names after inlining: GetResultCore stands for get_Result, InternalWait for Wait.
    private static string TaskKind(string method) =>
        method.Contains("Result", StringComparison.Ordinal) ? "Task.Result"
        : method.StartsWith("WaitA", StringComparison.Ordinal) ? "Task." + method.AsSpan(0, 7).ToString()
        : "Task.Wait";

    private static string NameOf(FrameName frame) => MethodNameRule.Of(frame.Type, frame.Method);

    private static ReadOnlySpan<char> TypeWithoutArity(string type)
    {
        int end = type.AsSpan().IndexOfAny('`', '+');
        return end < 0 ? type : type.AsSpan(0, end);
    }

    private static bool IsOwn(FrameName frame) => frame.Assembly is "AdaptivePool" or "AdaptivePool.Hosting";

    private static bool IsFramework(FrameName frame) =>
        frame.Assembly.StartsWith("System.", StringComparison.Ordinal) || frame.Assembly.StartsWith("Microsoft.", StringComparison.Ordinal) || frame.Assembly is "System" or "mscorlib" or "netstandard";
}
