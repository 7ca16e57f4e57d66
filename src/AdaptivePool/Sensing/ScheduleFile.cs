using System.Buffers.Text;
using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace AdaptivePool.Sensing;

/// <summary>
/// The scheduler's file of one thread of this process. It shows the run delay of the thread: time runnable but not running. The code that reads the file keeps
/// it open.
/// </summary>
internal static class ScheduleFile
{
    private const int MostBytes = 128;

    /// <summary>Whether the system has such files at all.</summary>
    public static bool IsSupported { get; } = File.Exists("/proc/self/schedstat");

    /// <summary>Opens the file; <see langword="null"/> where it cannot be opened: the thread is gone, or the process has no file left.</summary>
    /// <param name="threadId">System's number of the thread.</param>
    public static SafeFileHandle? TryOpen(int threadId)
    {
        try
        {
            return File.OpenHandle(string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{threadId}/schedstat"));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Run delay in seconds; NaN when the thread is gone.</summary>
    /// <param name="file">Its file.</param>
    // "cpu-nanoseconds delay-nanoseconds slices"
    public static double ReadDelay(SafeFileHandle file)
    {
        Span<byte> bytes = stackalloc byte[MostBytes];
        try
        {
            ReadOnlySpan<byte> text = bytes[..RandomAccess.Read(file, bytes, 0)];
            int space = text.IndexOf((byte)' ');
            return space > 0 && Utf8Parser.TryParse(text[(space + 1)..], out long nanoseconds, out _) ? nanoseconds * 1e-9 : double.NaN;
        }
        catch (IOException)
        {
            return double.NaN;
        }
    }
}
