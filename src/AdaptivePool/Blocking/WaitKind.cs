using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace AdaptivePool.Blocking;

/// <summary>
/// Tells a wait for a task from any other managed wait. A synchronous database call enters the wait hook about seven times, and more threads would hurt it; a wait for a
/// task usually waits for work of this very pool, and more threads cure it. Only the stack can tell them apart, so it is looked at in a bounded sample.
/// </summary>
internal static class WaitKind
{
    /// <summary>Frames between the hook and the public method that waits: hook, monitor, event, task; twelve is twice what .NET 10 has.</summary>
    private const int FramesToLookAt = 12;

    /// <summary>Looks at a stack once for nothing: the first look of a process takes 10 to 30 ms, all later ones microseconds, and the first wait of a pool must not pay for it.</summary>
    public static void Prepare() => CallerWaitsForTask();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static bool CallerWaitsForTask()
    {
        var trace = new StackTrace(2, fNeedFileInfo: false);
        int frames = Math.Min(trace.FrameCount, FramesToLookAt);
        for (int i = 0; i < frames; i++)
        {
            if (trace.GetFrame(i) is not { } frame || DiagnosticMethodInfo.Create(frame) is not { } method)
            {
                continue;
            }

            if (string.Equals(method.DeclaringTypeName, "System.Threading.Tasks.Task", StringComparison.Ordinal))
            {
                return true;
            }

            if (method.DeclaringTypeName is { } type && type.StartsWith("System.Net.", StringComparison.Ordinal))
            {
                return false;
            }
        }

        return false;
    }
}
