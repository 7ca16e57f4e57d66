namespace AdaptivePool.Stacks;

/// <summary>Reads a stack of names, innermost first: which code waits, and for what.</summary>
internal static class WaitSiteRule
{
    /// <summary>Frames between the hook and the public method that waits: hook, monitor, event, task; twelve is twice what .NET 10 has.</summary>
    private const int FramesOfAWait = 12;

    /// <summary>Types of this pool that run items: below them the stack is the pool's.</summary>
    private static readonly string[] s_runners = ["AdaptivePool.Dispatch.Worker", "AdaptivePool.Dispatch.Items.", "AdaptivePool.AdaptiveTaskScheduler",
        "AdaptivePool.Hosting."];

    private static readonly (string Kind, bool MayThrow) s_lock = ("lock", false);

    /// <summary>Whether the frames that follow show nothing new, once the program's own code has been found.</summary>
    public static bool IsEnough(int count, FrameName last, ProgramCode program) => count >= FramesOfAWait && program.OriginOf(last) == CodeOrigin.Application;

    /// <param name="frames">The stack, innermost first.</param>
    /// <param name="program">Which assemblies are the program's own.</param>
    public static WaitSite Find(ReadOnlySpan<FrameName> frames, ProgramCode program)
    {
        // A contended lock statement can have no frame of its own.
        (string kind, bool mayThrow) = s_lock;
        FrameName? outermost = null;
        FrameName? guess = null;
        bool hasLeftFramework = false;
        bool isOwn = false;
        for (int i = 0; i < frames.Length; i++)
        {
            FrameName frame = frames[i];
            CodeOrigin origin = program.OriginOf(frame);
            if (origin == CodeOrigin.Framework)
            {
                if (!hasLeftFramework && outermost is not null && RunsDelegates(frame))
                {
                    // Optimized code jumps from the last call of "() => task.Wait()" into the wait, and the program's method has no frame.
                    hasLeftFramework = true;
                    guess = mayThrow ? null : outermost;
                }

                if (!hasLeftFramework)
                {
                    outermost = frame;
                    (string Kind, bool MayThrow)? call = Recognise(frame);
                    (kind, mayThrow) = (call?.Kind ?? kind, call is { MayThrow: true });
                }

                continue;
            }

            if (origin == CodeOrigin.Pool)
            {
                if (outermost is null)
                {
                    // The hook itself.
                    continue;
                }

                if (Array.Exists(s_runners, runner => frame.Type.StartsWith(runner, StringComparison.Ordinal)))
                {
                    // A work item's delegate, as above.
                    hasLeftFramework |= mayThrow;
                    break;
                }

                isOwn |= !hasLeftFramework;
                mayThrow &= hasLeftFramework;
                hasLeftFramework = true;
                continue;
            }

            hasLeftFramework = true;
            if (origin == CodeOrigin.Application)
            {
                return new WaitSite(NameOf(frame), kind, mayThrow, isOwn, TargetOf(frames));
            }

            if (origin == CodeOrigin.Generated)
            {
                if (IsRouteHandler(frames[i..], program))
                {
                    // The code that calls it is not what waits: the class, named after the endpoint, says more.
                    guess = null;
                    break;
                }

                continue;
            }

            // Where it is not known which code came in packages, the outermost frame is likely the program's: the packages are between it and the wait.
            guess = origin == CodeOrigin.Unknown ? frame : guess;
        }

        FrameName? named = hasLeftFramework ? guess : outermost;
        return new WaitSite(named is { } last ? NameOf(last) : null, kind, mayThrow && hasLeftFramework, isOwn, TargetOf(frames));
    }

    // A method made at run time, as for a route handler, into which the program's own method was inlined. Others compile queries in the middle of a library.
    private static bool IsRouteHandler(ReadOnlySpan<FrameName> generatedFirst, ProgramCode program)
    {
        foreach (FrameName caller in generatedFirst)
        {
            if (program.OriginOf(caller) != CodeOrigin.Generated)
            {
                return caller.Assembly.StartsWith("Microsoft.AspNetCore.", StringComparison.Ordinal);
            }
        }

        return true;
    }

    private static bool RunsDelegates(FrameName frame) =>
        frame.Type is "System.Threading.ExecutionContext" || frame.Method is "InnerInvoke"
        || (frame.Type is "System.Threading.Tasks.Task" && frame.Method.StartsWith("Execute", StringComparison.Ordinal));

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

    // A method of a type that one can wait for need not be one that waits: Release, Set, Signal, ContinueWith and WaitAsync may only meet a lock that the type
    // takes inside, and an exception out of it would leave half done what no caller expects to fail.
    private static (string Kind, bool MayThrow)? Recognise(FrameName frame) => TypeWithoutArity(frame.Type) switch
    {
        "System.Threading.Tasks.Task" or "System.Threading.Tasks.ValueTask" => IsWait(frame.Method) ? (TaskKind(frame.Method), true) : s_lock,
        "System.Runtime.CompilerServices.TaskAwaiter" or "System.Runtime.CompilerServices.ValueTaskAwaiter" => AwaiterKind(frame.Method),
        "System.Runtime.CompilerServices.ConfiguredTaskAwaitable" or "System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable" =>
            AwaiterKind(frame.Method),
        "System.Threading.SemaphoreSlim" => IsWait(frame.Method) ? ("SemaphoreSlim", true) : s_lock,
        "System.Threading.ManualResetEventSlim" or "System.Threading.WaitHandle" or "System.Threading.CountdownEvent" or "System.Threading.Barrier" =>
            IsWait(frame.Method) ? ("event", true) : s_lock,
        "System.Threading.Thread" => frame.Method.Contains("Join", StringComparison.Ordinal) ? ("Thread.Join", true) : s_lock,
        "System.Threading.Monitor" => IsWait(frame.Method) ? ("Monitor.Wait", false) : s_lock,
        "System.Threading.Lock" or "System.Threading.ReaderWriterLockSlim" or "System.Threading.ReaderWriterLock" => s_lock,
        _ => null,
    };

    // SetResult completes a task, and names that end in Async return one. A task that runs at once but not here is waited for.
    private static bool IsWait(string method) =>
        (method.Contains("Wait", StringComparison.Ordinal) && !method.Contains("Async", StringComparison.Ordinal))
        || method.Contains("GetResult", StringComparison.Ordinal) || method.Contains("get_Result", StringComparison.Ordinal)
            || method.Contains("RunSynchronously", StringComparison.Ordinal);

    // All methods of an awaiter but the registration of the continuation belong to GetResult.
    private static (string Kind, bool MayThrow) AwaiterKind(string method) =>
        method.Contains("OnCompleted", StringComparison.Ordinal) ? s_lock : ("GetAwaiter().GetResult()", true);

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
}
