using System.Globalization;

namespace AdaptivePool.Sensing;

/// <summary>What the system lets this process have of a resource that it counts (setrlimit).</summary>
internal static class ProcessLimit
{
    /// <summary>
    /// A pool keeps open at most one in this many of the files that the process may open. They are meant for connections: a web app on .NET has some two
    /// hundred open before its first one, and where none is left the runtime starts no thread and loads no code.
    /// </summary>
    private const int KeptOneIn = 16;

    /// <summary>Files that a pool may keep open for itself.</summary>
    /// <param name="root">Folder that stands for "/".</param>
    /// <param name="most">How many files are enough.</param>
    public static int KeptFiles(string root, int most)
    {
        long? limit = null;
        return SmallFile.TryLook(() => limit = Read(root, "Max open files")) ? (int)Math.Min(most, (limit ?? long.MaxValue) / KeptOneIn) : 0;
    }

    /// <summary>The limit in force; <see langword="null"/> where there is none, or the system does not report it.</summary>
    /// <param name="root">Folder that stands for "/".</param>
    /// <param name="name">The name of the limit in the system's file.</param>
    /// <exception cref="IOException">It cannot be read now.</exception>
    public static long? Read(string root, string name)
    {
        // "Max open files            1024                 524288               files": the first number is the one in force.
        string? first = SmallFile.ValueOf(SmallFile.Read(SmallFile.Below(root, "/proc/self/limits")) ?? "", name)?.Split(' ', 2)[0];
        return long.TryParse(first, NumberStyles.None, CultureInfo.InvariantCulture, out long most) ? most : null;
    }
}
