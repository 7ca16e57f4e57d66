using System.Globalization;
using System.Runtime.InteropServices;

namespace AdaptivePool.Stress.Surroundings;

/// <summary>Pins the process to the first core that it may use (Linux). Threads inherit it from the thread that starts them.</summary>
internal static partial class CoreAffinity
{
    private const int MaskBytes = 128;

    /// <summary>Takes all cores but one away, for good.</summary>
    /// <exception cref="PlatformNotSupportedException">The system is no Linux, or refuses.</exception>
    public static unsafe IDisposable PinToOne()
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException("Mode one-core needs Linux.");
        }

        byte* mask = stackalloc byte[MaskBytes];
        if (GetAffinity(0, MaskBytes, mask) != 0)
        {
            throw new PlatformNotSupportedException("The system does not tell the cores of this process.");
        }

        int core = 0;
        while ((mask[core / 8] >> (core % 8) & 1) == 0)
        {
            core++;
        }

        new Span<byte>(mask, MaskBytes).Clear();
        mask[core / 8] = (byte)(1 << (core % 8));
        foreach (string task in Directory.EnumerateDirectories("/proc/self/task"))
        {
            // A thread may have ended since.
            _ = SetAffinity(int.Parse(Path.GetFileName(task), CultureInfo.InvariantCulture), MaskBytes, mask);
        }

        return SetAffinity(0, MaskBytes, mask) == 0 ? Nothing.Instance : throw new PlatformNotSupportedException("The system refuses to pin this process.");
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity")]
    private static unsafe partial int GetAffinity(int thread, nint size, byte* mask);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static unsafe partial int SetAffinity(int thread, nint size, byte* mask);
}
