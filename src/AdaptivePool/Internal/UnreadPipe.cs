using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace AdaptivePool.Internal;

/// <summary>
/// A named pipe without a reader. Opening it for writing waits for a reader without end, and no token or disposal ends that wait. 64-bit Linux only.
/// </summary>
internal static partial class UnreadPipe
{
    // O_WRONLY, O_NONBLOCK and O_CLOEXEC (asm-generic/fcntl.h), ENXIO.
    private const int WriteOnly = 0x1;
    private const int NonBlocking = 0x800;
    private const int CloseOnExec = 0x80000;
    private const int NoReader = 6;

    /// <summary>Throws where the path is such a pipe.</summary>
    /// <param name="path">Full path of the file.</param>
    /// <returns>
    /// The file, where it could be opened, which keeps a reader; <see langword="null"/> where it is missing or must not be written, and on other systems.
    /// </returns>
    /// <exception cref="IOException">The pipe has no reader.</exception>
    public static SafeFileHandle? Refuse(string path)
    {
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess)
        {
            return null;
        }

        int handle = Open(path, WriteOnly | NonBlocking | CloseOnExec);
        return handle >= 0 ? new SafeFileHandle(handle, ownsHandle: true)
            : Marshal.GetLastPInvokeError() == NoReader ? throw new IOException("It is a pipe that nobody reads; start its reader first.")
            : null;
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);
}
