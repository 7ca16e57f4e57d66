using System.Globalization;
using System.Runtime.InteropServices;

namespace AdaptivePool.Sensing;

/// <summary>
/// Names of the Linux system calls in which threads usually wait (arch/x86/entry/syscalls/syscall_64.tbl; include/uapi/asm-generic/unistd.h for Arm64).
/// </summary>
internal static class SystemCallNames
{
    private static readonly Dictionary<int, string> s_x64 = new()
    {
        [0] = "read", [1] = "write", [7] = "poll", [17] = "pread64", [18] = "pwrite64", [19] = "readv", [20] = "writev", [23] = "select",
        [34] = "pause", [35] = "nanosleep", [42] = "connect", [43] = "accept", [44] = "sendto", [45] = "recvfrom", [46] = "sendmsg", [47] = "recvmsg",
        [61] = "wait4", [65] = "semop", [70] = "msgrcv", [72] = "fcntl", [73] = "flock", [74] = "fsync", [75] = "fdatasync", [202] = "futex",
        [230] = "clock_nanosleep", [232] = "epoll_wait", [247] = "waitid", [257] = "openat", [270] = "pselect6", [271] = "ppoll",
        [281] = "epoll_pwait", [288] = "accept4", [295] = "preadv", [299] = "recvmmsg",
    };

    private static readonly Dictionary<int, string> s_arm64 = new()
    {
        [22] = "epoll_pwait", [25] = "fcntl", [32] = "flock", [56] = "openat", [63] = "read", [64] = "write", [65] = "readv", [66] = "writev",
        [67] = "pread64", [68] = "pwrite64", [69] = "preadv", [72] = "pselect6", [73] = "ppoll", [82] = "fsync", [83] = "fdatasync", [95] = "waitid",
        [98] = "futex", [101] = "nanosleep", [115] = "clock_nanosleep", [188] = "msgrcv", [193] = "semop", [202] = "accept", [203] = "connect",
        [206] = "sendto", [207] = "recvfrom", [211] = "sendmsg", [212] = "recvmsg", [242] = "accept4", [243] = "recvmmsg", [260] = "wait4",
    };

    /// <summary>The name, or the number where there is no name here.</summary>
    public static string Of(int number)
    {
        Dictionary<int, string> names = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? s_arm64 : s_x64;
        return names.TryGetValue(number, out string? name) ? name : number.ToString(CultureInfo.InvariantCulture);
    }
}
