namespace AdaptivePool.Stacks;

/// <summary>
/// Looks at the stack of the calling thread, which is about to wait. A synchronous database call enters the wait hook about seven times, and more threads
/// would hurt it; a wait for a task usually waits for work of this very pool, and more threads cure it. Only the stack can tell them apart, and only the stack
/// names the code that blocks. A look costs some 20 us and KB, so looks are bounded.
/// </summary>
internal static class WaitStack
{
    /// <summary>
    /// Frames from the hook to the first method of the program: a mapper above a driver above the framework's deepest synchronous call, a TLS read, has about
    /// 80. Those beyond the program's own method are not read.
    /// </summary>
    private const int FramesToLookAt = 128;

    /// <summary>
    /// Bytes of stack, some three hundred frames, beyond which a look is not worth its price: the runtime captures the whole stack, at about a microsecond per
    /// frame, before the first of them can be read.
    /// </summary>
    private const int DeepBytes = 64 * 1024;

    private const int ExpectedFrames = 32;

    /// <summary>Which assemblies are the program's own.</summary>
    public static ProgramCode Program { get; } = DependencyFile.ReadOwn();

    /// <summary>About where the caller's stack ends now.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static unsafe nint Position()
    {
        int here;
        return (nint)(&here);
    }

    /// <summary>Whether the stack has grown too deep for a look. Stacks grow downwards.</summary>
    /// <param name="start"><see cref="Position"/> where the thread began.</param>
    public static bool IsDeep(nint start) => start - Position() > DeepBytes;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static WaitSite Look()
    {
        var trace = new StackTrace(1, fNeedFileInfo: false);
        int count = Math.Min(trace.FrameCount, FramesToLookAt);
        var names = new List<FrameName>(Math.Min(count, ExpectedFrames));
        for (int i = 0; i < count; i++)
        {
            if (trace.GetFrame(i) is { } frame && DiagnosticMethodInfo.Create(frame) is { } method)
            {
                names.Add(new FrameName(SimpleName(method.DeclaringAssemblyName), method.DeclaringTypeName ?? "", method.Name));
                if (WaitSiteRule.IsEnough(names.Count, names[^1], Program))
                {
                    break;
                }
            }
        }

        return WaitSiteRule.Find(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(names), Program);
    }

    private static string SimpleName(string? assembly) => assembly?.Split(',')[0] ?? "";
}
