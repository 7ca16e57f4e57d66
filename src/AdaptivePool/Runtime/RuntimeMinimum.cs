namespace AdaptivePool.Runtime;

/// <summary>
/// Raises the minimum of the runtime's pool for as long as threads of it are held up by what this library brought there, and puts it back. A minimum that
/// other code sets meanwhile is respected: it is the new base.
/// </summary>
/// <param name="read">Reads the least and the most threads of that pool.</param>
/// <param name="write">Sets the least; false when that is refused.</param>
/// <param name="all">What all code that raises this minimum has done together, under its lock: <see cref="Fields"/> numbers.</param>
internal sealed class RuntimeMinimum(Func<(int Min, int Max)> read, Func<int, bool> write, int[] all)
{
    /// <summary>Length of the shared array.</summary>
    public const int Fields = 3;

    private const string SharedName = "AdaptivePool.RuntimeMinimum";

    // Copies of the library from other builds use these, too: the meaning of each number must stay as it is.
    private const int Base = 0;
    private const int Lent = 1;
    private const int Written = 2;
    private const long NothingRefused = -1;

    private int _raised;

    // The least and most threads of the pool when it refused; none where it has refused nothing since.
    private long _refusedAt = NothingRefused;

    /// <summary>
    /// The minimum of the runtime's pool, of which a process has one: all pools and hosts of the process share this. Plugins that bring a copy of the library
    /// have one of these each, and all of these share the numbers. Otherwise one copy would take a minimum that another has raised for the user's.
    /// </summary>
    public static RuntimeMinimum Process { get; } = new(Read, Write, Shared());

    /// <summary>
    /// Whether there is room under the maximum, and nothing was refused while minimum and maximum were as they are: a pool that cannot be lent a thread must
    /// not be held up. A refusal because other code has set one of them at the same moment says nothing about later.
    /// </summary>
    public bool MayRaise
    {
        get
        {
            (int min, int max) = read();
            return Volatile.Read(ref _refusedAt) != Both(min, max) && min + Environment.ProcessorCount <= max;
        }
    }

    /// <summary>Threads that the runtime's pool has been lent by this copy of the library.</summary>
    public int Raised => Volatile.Read(ref _raised);

    /// <summary>How many threads the runtime's pool has above the minimum without what this copy of the library has lent.</summary>
    /// <param name="threads">Its threads.</param>
    public int Spare(int threads) => Math.Max(0, threads - read().Min + Raised);

    /// <summary>Lends this many threads in all, as far as the maximum allows; 0 puts the minimum back, if it is still the one that was written.</summary>
    /// <param name="threads">How many threads.</param>
    public void Raise(int threads)
    {
        if (threads == Raised)
        {
            return;
        }

        lock (all)
        {
            (int min, int max) = read();
            bool isOurs = all[Lent] > 0 && min == all[Written];
            int lent = all[Lent] + threads - _raised;
            all[Base] = isOurs ? all[Base] : min;
            int wanted = Math.Min(all[Base] + lent, max);

            // With a minimum that is forced from outside, the runtime reports success and changes nothing.
            bool isSet = wanted == min || (TryWrite(wanted) && read().Min == wanted);
            Volatile.Write(ref _refusedAt, isSet ? NothingRefused : Both(min, max));
            if (isSet)
            {
                (all[Lent], all[Written]) = (lent, wanted);
                Volatile.Write(ref _raised, threads);
            }
        }
    }

    private static long Both(int min, int max) => ((long)max << 32) | (uint)min;

    private bool TryWrite(int threads)
    {
        try
        {
            return write(threads);
        }
        catch (OutOfMemoryException)
        {
            // The minimum is set. The system refuses the thread that the pool starts at once for work that waits. On the watch's thread no code would catch
            // this.
            return true;
        }
    }

    private static int[] Shared()
    {
        AppDomain process = AppDomain.CurrentDomain;
        lock (process)
        {
            if (process.GetData(SharedName) is not int[] all)
            {
                process.SetData(SharedName, all = new int[Fields]);
            }

            return all;
        }
    }

    private static (int Min, int Max) Read()
    {
        ThreadPool.GetMinThreads(out int min, out _);
        ThreadPool.GetMaxThreads(out int max, out _);
        return (min, max);
    }

    private static bool Write(int threads)
    {
        ThreadPool.GetMinThreads(out _, out int completion);
        return ThreadPool.SetMinThreads(threads, completion);
    }
}
