using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace AdaptivePool.Internal;

/// <summary>
/// A lock of an open file against other openings that ask for one. It belongs to the opening, unlike that of <see cref="FileStream.Lock"/>, which belongs to
/// the process. Two openings in one process exclude each other, under whatever names. The lock does not end when the process closes another opening, such as
/// a reader's. 64-bit Linux only.
/// </summary>
internal static unsafe partial class FileLock
{
    // F_OFD_SETLK and F_WRLCK (linux/fcntl.h), EAGAIN.
    private const int SetOpenFileLock = 37;
    private const short WriteLock = 1;
    private const int TryAgain = 11;

    /// <summary>Takes the lock.</summary>
    /// <param name="file">The open file, for writing.</param>
    /// <returns>False where another opening has the lock; true also where there are no such locks: on other systems, for pipes, and on some file
    /// systems.</returns>
    public static bool TryTake(SafeFileHandle file)
    {
        var whole = new Range { Type = WriteLock };
        return !OperatingSystem.IsLinux() || !Environment.Is64BitProcess
            || FileControl(file, SetOpenFileLock, &whole) == 0 || Marshal.GetLastPInvokeError() != TryAgain;
    }

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int FileControl(SafeFileHandle file, int command, Range* range);

    /// <summary>struct flock of 64 bit systems; a length of zero means to the end.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Range
    {
        public short Type;
        public short From;
        public long Start;
        public long Length;
        public int Process;
    }
}
