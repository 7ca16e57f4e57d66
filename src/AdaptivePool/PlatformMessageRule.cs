namespace AdaptivePool;

/// <summary>What is said about a system on which the pool has to do without something.</summary>
internal static class PlatformMessageRule
{
    /// <summary>One line; <see langword="null"/> when everything works.</summary>
    public static string? Of(PlatformSupport support)
    {
        string[] missing =
        [
            .. support.HasFutex ? (string[])[] : ["no futex (waking a thread takes some 10 us longer)"],
            .. support.HasThreadClocks ? (string[])[]
                : ["no CPU clock of other threads (work that blocks in the kernel is told from work that computes by the process's CPU alone)"],
            .. support.HasKernelFiles ? (string[])[] : ["no files about threads below /proc (reports name no system calls)"],
            .. support.HasWaitHook ? (string[])[]
                : ["no notification of managed waits (they are noticed some milliseconds later, and reports name no methods)"],
            .. support.HasPostedAwaits ? (string[])[] : ["no posted continuations (what follows an await runs where the awaited task ended)"],
            .. support.HasAwaitRecognition ? (string[])[] : ["no recognition of awaits (each takes an execution context more)"],
        ];
        return missing.Length == 0 ? null
            : $"The self-test found {string.Join(", ", missing)}. The pool does without; 'Platforms' in its README says what that costs. "
                + "Nothing needs to be done";
    }
}
