using Microsoft.Win32.SafeHandles;

namespace AdaptivePool.Sensing;

/// <summary>
/// CPU use of the process and idle CPU of the cores it may use, over windows of at least 30 ms: idle counters advance every 10 ms, and shorter windows read
/// anything between 0.58 and 1.00 at the same load (sizing study, section 3). Quota and affinity are looked at once a second, because an orchestrator changes
/// them while the process runs.
/// </summary>
internal sealed class CpuMeter
{
    /// <summary>Shortest window.</summary>
    public const double WindowSeconds = 0.03;

    /// <summary>A look at quota and affinity reads a handful of small files: 0.1 to 0.2 ms.</summary>
    private const double BoundsSeconds = 1;

    /// <summary>Clock ticks per second of /proc/stat: USER_HZ, 100 on every Linux that .NET runs on.</summary>
    private const double TicksPerSecond = 100;

    private const int FirstLength = 4_096;
    private const int FirstIdleField = 4;
    private const int LastIdleField = 5;

    private readonly string _root;
    private readonly CpuQuota _quota;
    private byte[] _bytes = new byte[FirstLength];
    private SafeFileHandle? _stat;
    private HashSet<int> _allowed = [];
    private string _allowedText = "";
    private double _boundsAt;
    private double _lastAt = double.NaN;
    private double _lastOwn;
    private double _lastIdle;

    /// <param name="root">Stands for "/".</param>
    public CpuMeter(string root = "/")
    {
        _root = root;
        _quota = new CpuQuota(root);
        ReadBounds();
    }

    /// <summary>Cores the process may use: the affinity mask, or the quota of its container when that is less.</summary>
    public double Cores { get; private set; } = Environment.ProcessorCount;

    /// <summary>CPU of the process over the last window, in cores.</summary>
    public double OwnCores { get; private set; }

    /// <summary>Idle CPU of the allowed cores over the last window, in cores; the unused quota in a container.</summary>
    public double IdleCores { get; private set; }

    /// <summary>Whether a window has been measured and the system reports its idle time.</summary>
    public bool IsKnown { get; private set; }

    private bool HasQuota { get; set; }

    /// <summary>Looks at the counters when the window is over.</summary>
    /// <param name="now">Time in seconds.</param>
    public void Observe(double now)
    {
        if (now - _boundsAt >= BoundsSeconds)
        {
            _boundsAt = now;
            if (ReadBounds())
            {
                // The open window was counted on other cores.
                Restart();
                IdleCores = Math.Min(IdleCores, Cores);
            }
        }

        double elapsed = now - _lastAt;
        if (elapsed < WindowSeconds)
        {
            return;
        }

        double own = OwnSeconds();
        double idle = IdleSeconds();
        if (elapsed < 10 * WindowSeconds && !double.IsNaN(idle - _lastIdle))
        {
            OwnCores = (own - _lastOwn) / elapsed;
            double free = Math.Clamp((idle - _lastIdle) / elapsed, 0, Cores);
            IdleCores = HasQuota ? Math.Clamp(Math.Min(free, Cores - OwnCores), 0, Cores) : free;
            IsKnown = true;
        }

        _lastAt = now;
        _lastOwn = own;
        _lastIdle = idle;
    }

    /// <summary>CPU of the process since the counters were last looked at, in seconds.</summary>
    public double OwnSecondsSinceLook() => OwnSeconds() - _lastOwn;

    /// <summary>Forgets the open window: after a pause its mean would say nothing about now.</summary>
    public void Restart() => _lastAt = double.NegativeInfinity;

    /// <returns>Whether the cores have changed.</returns>
    private bool ReadBounds()
    {
        (double before, double quota, string allowed) = (Cores, 0, "");
        if (!SmallFile.TryLook(() => (allowed, quota) = (ProcessorList.Allowed(_root) ?? "", _quota.Read())))
        {
            return false;
        }

        bool moved = allowed != _allowedText;
        if (moved)
        {
            // Where the cores are not known, all of them count.
            _allowed = [.. ProcessorList.TryParse(allowed) ?? []];
            _allowedText = allowed;
        }

        Cores = Math.Min(_allowed.Count > 0 ? _allowed.Count : Environment.ProcessorCount, quota);
        HasQuota = Cores.Equals(quota);
        return moved || !Cores.Equals(before);
    }

    private static double OwnSeconds() => Environment.CpuUsage.TotalTime.TotalSeconds;

    private double IdleSeconds()
    {
        if (!OperatingSystem.IsLinux())
        {
            return double.NaN;
        }

        try
        {
            // Kept open, and read from its beginning: opening it each time cost 24 KB.
            _stat ??= File.OpenHandle(SmallFile.Below(_root, "/proc/stat"), FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            int length = ReadCores(_stat);

            // A kernel that does not count, such as that of gVisor, has zeros. There are no cores that have never been idle.
            return IdleTicks(_bytes.AsSpan(0, length)) is > 0 and var ticks ? ticks / TicksPerSecond : double.NaN;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return double.NaN;
        }
    }

    // The machine may have any number of cores, more than the process may use. They are read at once, because the counters move on; and nothing after them is
    // read, because it is long where there are many.
    private int ReadCores(SafeFileHandle stat)
    {
        while (true)
        {
            int length = RandomAccess.Read(stat, _bytes, 0);
            if (length < _bytes.Length || _bytes.AsSpan().IndexOf("\nintr"u8) >= 0)
            {
                return length;
            }

            _bytes = new byte[2 * length];
        }
    }

    // "cpuN user nice system idle iowait ...": a core that only waits for a disk is free for the pool. The sum of all, without a number, comes before them.
    // Byte by byte: 33 looks a second would make all that the framework has for lines, fields and numbers hot, and it would be compiled while the process has
    // its first load.
    private double IdleTicks(ReadOnlySpan<byte> text)
    {
        long ticks = 0;
        int at = 0;
        while (text[at..].StartsWith("cpu"u8))
        {
            at += 3;
            int digits = at;
            int core = (int)Number(text, ref at);
            bool counts = at > digits && (_allowed.Count == 0 || _allowed.Contains(core));
            for (int field = 1; field <= LastIdleField; field++)
            {
                while (at < text.Length && text[at] == ' ')
                {
                    at++;
                }

                long value = Number(text, ref at);
                ticks += counts && field >= FirstIdleField ? value : 0;
            }

            while (at < text.Length && text[at++] != '\n')
            {
            }
        }

        return ticks;
    }

    private static long Number(ReadOnlySpan<byte> text, ref int at)
    {
        long number = 0;
        while (at < text.Length && text[at] is >= (byte)'0' and <= (byte)'9')
        {
            number = (10 * number) + text[at++] - '0';
        }

        return number;
    }
}
