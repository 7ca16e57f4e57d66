using System.Globalization;

namespace AdaptivePool.Blocking;

/// <summary>What the kernel says about a thread of this process, in files below /proc. Each read costs 5 to 20 us. Elsewhere than on Linux nothing is known.</summary>
internal static class ThreadProbe
{
    /// <summary>What is returned where nothing can be read.</summary>
    public const char Unknown = '\0';

    /// <summary>Whether the kernel tells anything.</summary>
    public static bool IsSupported { get; } = File.Exists("/proc/self/stat");

    /// <summary>State of the thread: R runnable, S and D asleep.</summary>
    public static char State(int threadId)
    {
        // "tid (name) S ...": the name may hold anything, parentheses too.
        string text = Read(threadId, "stat", out _);
        int end = text.LastIndexOf(") ", StringComparison.Ordinal);
        return end >= 0 && end + 2 < text.Length ? text[end + 2] : Unknown;
    }

    /// <summary>The system call that the thread sleeps in, by name; where that may not be read, what is known instead.</summary>
    public static string SystemCall(int threadId)
    {
        if (!IsSupported)
        {
            return "native code";
        }

        string call = Read(threadId, "syscall", out bool isDenied);
        string number = call.Split(' ')[0];
        if (int.TryParse(number, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int parsed))
        {
            return "system call " + SystemCallNames.Of(parsed);
        }

        if (string.Equals(number, "running", StringComparison.Ordinal))
        {
            return "native code";
        }

        // The kernel function it sleeps in says less, but may be read more often.
        string channel = Read(threadId, "wchan", out bool isChannelDenied);
        return channel.Length > 1 ? "kernel function " + channel
            : isDenied || isChannelDenied ? "system call (its name may not be read here)"
            : "system call";
    }

    private static string Read(int threadId, string file, out bool isDenied)
    {
        isDenied = false;
        if (!IsSupported)
        {
            return "";
        }

        try
        {
            using var handle = File.OpenHandle(string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{threadId}/{file}"));
            Span<byte> text = stackalloc byte[512];
            return System.Text.Encoding.ASCII.GetString(text[..RandomAccess.Read(handle, text, 0)]).TrimEnd('\n');
        }
        catch (UnauthorizedAccessException)
        {
            isDenied = true;
        }
        catch (IOException)
        {
            // The thread has ended, or the kernel does not want to say.
        }

        return "";
    }
}
