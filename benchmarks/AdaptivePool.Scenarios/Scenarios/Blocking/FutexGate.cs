using System.Runtime.InteropServices;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>The barest way to put a thread to sleep and wake it: an automatic gate on a Linux futex. It says what the machine allows; whatever a pool does
/// comes on top.</summary>
public sealed unsafe partial class FutexGate
{
    // FUTEX_WAIT and FUTEX_WAKE with FUTEX_PRIVATE_FLAG (linux/futex.h).
    private const int WaitPrivate = 0 | 128;
    private const int WakePrivate = 1 | 128;
    private const nuint CacheLine = 128;

    private static readonly nint s_futex = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 98 : 202;
    private readonly int* _word;

    /// <summary>Creates a closed gate; its word is never freed, because a process has two of them.</summary>
    public FutexGate()
    {
        _word = (int*)NativeMemory.AlignedAlloc(CacheLine, CacheLine);
        *_word = 0;
    }

    /// <summary>Whether the system call has the number used here.</summary>
    public static bool IsSupported { get; } =
        OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;

    /// <summary>Sleeps until the gate is open, and closes it.</summary>
    public void Wait()
    {
        // Pairs with the exchange in Open: either the opening is seen here, or the sleeper is seen there by the kernel, which compares the word.
        while (Interlocked.Exchange(ref *_word, 0) == 0)
        {
            _ = SystemCall(s_futex, (nint)_word, WaitPrivate, 0, 0, 0, 0);
        }
    }

    /// <summary>Opens the gate and wakes who sleeps at it.</summary>
    public void Open()
    {
        // Pairs with the exchange in Wait.
        Interlocked.Exchange(ref *_word, 1);
        _ = SystemCall(s_futex, (nint)_word, WakePrivate, 1, 0, 0, 0);
    }

    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint SystemCall(nint number, nint a, nint b, nint c, nint d, nint e, nint f);
}
