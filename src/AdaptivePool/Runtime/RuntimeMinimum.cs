namespace AdaptivePool.Runtime;

/// <summary>
/// Raises the minimum of the runtime's pool for as long as threads of it are held up by what we brought there, and puts it back. What others set
/// meanwhile is respected: it is the new base.
/// </summary>
/// <param name="read">Reads least and most threads of that pool.</param>
/// <param name="write">Sets the least; false when that is refused.</param>
internal sealed class RuntimeMinimum(Func<(int Min, int Max)> read, Func<int, bool> write)
{
    private readonly Lock _setting = new();
    private int _base;
    private int _raised;
    private int _written;
    private bool _isRefused;

    /// <summary>The runtime's pool, of which a process has one: all pools and hosts of it share this.</summary>
    public static RuntimeMinimum Process { get; } = new(Read, Write);

    /// <summary>Whether there is room under the maximum, and nothing was refused: who cannot be lent a thread must not be held up.</summary>
    public bool MayRaise
    {
        get
        {
            (int min, int max) = read();
            return !Volatile.Read(ref _isRefused) && min + Environment.ProcessorCount <= max;
        }
    }

    /// <summary>Threads that the runtime's pool has been lent.</summary>
    public int Raised => Volatile.Read(ref _raised);

    /// <summary>Lends so many threads in all, as far as the maximum allows; 0 puts the minimum back, if it is still the one that was written.</summary>
    /// <param name="threads">How many, in threads.</param>
    public void Raise(int threads)
    {
        if (threads == Raised)
        {
            return;
        }

        lock (_setting)
        {
            (int min, int max) = read();
            bool isOurs = _raised > 0 && min == _written;
            _base = isOurs ? _base : min;
            int wanted = Math.Min(_base + threads, max);
            bool isSet = wanted == min || write(wanted);
            Volatile.Write(ref _isRefused, !isSet);
            if (isSet)
            {
                _written = wanted;
                Volatile.Write(ref _raised, threads);
            }
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
