using System.Globalization;

namespace AdaptivePool.Sensing;

/// <summary>
/// What the kernel says about a thread of this process, in files below /proc. Each read costs 5 to 20 us. On systems other than Linux nothing is known.
/// </summary>
internal static class ThreadProbe
{
    private const char Running = 'R';

    /// <summary>Stands for the number of the call where a thread is blocked in none (proc_pid_syscall(5)).</summary>
    private const int OutsideACall = -1;

    private const string NativeCode = "native code";

    /// <summary>What is returned where nothing can be read.</summary>
    public const char Unknown = '\0';

    /// <summary>Whether the kernel reports anything; tried once with the calling thread, which runs.</summary>
    public static bool IsSupported { get; } = OperatingSystem.IsLinux() && StateIn(SmallFile.TryRead("/proc/thread-self/stat") ?? "") == Running;

    /// <summary>State of the thread: R runnable, S and D asleep.</summary>
    public static char State(int threadId) => StateIn(Read(threadId, "stat", out _));

    /// <summary>Whether the thread sleeps; <see langword="null"/> where the kernel does not report it.</summary>
    public static bool? IsAsleep(int threadId) => State(threadId) is not Unknown and var state ? IsAsleep(state) : null;

    /// <summary>Whether the letter is that of a thread that sleeps.</summary>
    public static bool IsAsleep(char state) => state is 'S' or 'D';

    // "tid (name) S ...": the name may hold anything, parentheses too.
    private static char StateIn(string text)
    {
        int end = text.LastIndexOf(") ", StringComparison.Ordinal);
        return end >= 0 && end + 2 < text.Length ? text[end + 2] : Unknown;
    }

    /// <summary>The threads of this process; none where the kernel does not report them.</summary>
    public static IEnumerable<int> Threads()
    {
        if (!IsSupported)
        {
            return [];
        }

        try
        {
            return [.. Directory.EnumerateDirectories("/proc/self/task")
                .Select(static path => int.Parse(Path.GetFileName(path.AsSpan()), CultureInfo.InvariantCulture))];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    /// <summary>Name of the thread, of which the kernel keeps 15 characters.</summary>
    public static string Name(int threadId) => Read(threadId, "comm", out _);

    /// <summary>The system call that the thread sleeps in, by name; where that may not be read, what is known instead.</summary>
    public static string SystemCall(int threadId)
    {
        if (!IsSupported || threadId == 0)
        {
            return NativeCode;
        }

        string call = Read(threadId, "syscall", out bool isDenied);
        if (IsTelling(call))
        {
            return Describe(call, "", isDenied);
        }

        // The kernel function it sleeps in says less, but may be read more often.
        string channel = Read(threadId, "wchan", out bool isChannelDenied);
        return Describe(call, channel, isDenied || isChannelDenied);
    }

    /// <summary>
    /// Whether the runtime may hold a thread that was seen to sleep: for a collection, or because other threads have not yet let go of its locks after one.
    /// Such a thread sleeps in a futex. A thread that is in no system call any more has gone on.
    /// </summary>
    /// <param name="call">What <see cref="SystemCall"/> said.</param>
    public static bool MayBeHeld(string call) => call is NativeCode || call.Contains("futex", StringComparison.Ordinal);

    /// <summary>What the two files say.</summary>
    /// <param name="call">What the file of the system call says: its number and arguments, or that the thread runs; empty where it could not be read.</param>
    /// <param name="channel">The kernel function; "0" where there is none.</param>
    /// <param name="isDenied">Whether one of them may not be read here.</param>
    public static string Describe(string call, string channel, bool isDenied) =>
        Number(call) is { } number ? number == OutsideACall ? "page fault" : "system call " + SystemCallNames.Of(number)
        : IsTelling(call) ? NativeCode
        : channel.Length > 1 ? "kernel function " + channel
        : isDenied ? "system call (its name may not be read here)"
        : "system call";

    private static bool IsTelling(string call) => Number(call) is not null || call.StartsWith("running", StringComparison.Ordinal);

    private static int? Number(string call) => int.TryParse(call.Split(' ')[0], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture,
        out int number) ? number : null;

    private static string Read(int threadId, string file, out bool isDenied)
    {
        isDenied = false;
        string path = string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{threadId}/{file}");

        // Empty where the thread has ended, or the kernel does not report it.
        return IsSupported ? SmallFile.TryRead(path, out isDenied)?.TrimEnd('\n') ?? "" : "";
    }
}
