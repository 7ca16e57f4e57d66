using System.Buffers.Text;
using Microsoft.Win32.SafeHandles;

namespace AdaptivePool.Sensing;

/// <summary>CPU time and run delay (time runnable but not running) of one thread of this process, read from another thread.</summary>
/// <param name="threadId">System's number of the thread.</param>
internal sealed class ThreadMeter(int threadId) : IDisposable
{
    private readonly byte[] _text = new byte[128];
    private SafeFileHandle? _schedule;

    /// <summary>Whether the system has such files at all.</summary>
    public static bool HasFiles { get; } = File.Exists("/proc/self/schedstat");

    public bool KeepsFile => _schedule is not null;

    public int ThreadId => threadId;

    /// <summary>Keeps the scheduler's file of the thread open; without it only the CPU clock is read.</summary>
    /// <returns><see langword="false"/> when it cannot be opened: the thread is gone, or the process has no file left.</returns>
    public bool TryKeepFile()
    {
        try
        {
            _schedule ??= File.OpenHandle(string.Create(System.Globalization.CultureInfo.InvariantCulture, $"/proc/self/task/{threadId}/schedstat"));
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>Reads both, in seconds.</summary>
    /// <param name="cpu">CPU time.</param>
    /// <param name="delay">Run delay; NaN when not known.</param>
    /// <returns><see langword="false"/> when the thread is gone or the system has no such clock.</returns>
    public bool TryRead(out double cpu, out double delay)
    {
        cpu = ThreadClock.Seconds(threadId);

        // Without scheduler statistics a thread that waits for a core reads as blocked; up to as many workers as there are cores hardly any does.
        delay = !HasFiles ? 0 : _schedule is null || double.IsNaN(cpu) ? double.NaN : ReadDelay();
        return !double.IsNaN(cpu);
    }

    public void Dispose() => _schedule?.Dispose();

    // "cpu-nanoseconds delay-nanoseconds slices"
    private double ReadDelay()
    {
        try
        {
            ReadOnlySpan<byte> text = _text.AsSpan(0, RandomAccess.Read(_schedule!, _text, 0));
            int space = text.IndexOf((byte)' ');
            return space > 0 && Utf8Parser.TryParse(text[(space + 1)..], out long nanoseconds, out _) ? nanoseconds * 1e-9 : double.NaN;
        }
        catch (IOException)
        {
            return double.NaN;
        }
    }
}
