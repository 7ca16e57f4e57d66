using System.Runtime.InteropServices;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Sensing;

/// <summary>
/// Where the workers' time goes, per class: CPU, run delay, and the rest, which is blocked. A bounded number of busy workers is looked at per second; sums
/// fade, so that they speak of the last tenth of a second.
/// </summary>
internal sealed class WorkerSampler
{
    /// <summary>
    /// Workers looked at per second, in turn: a reading covers all the time since the one before, so that fewer lose nothing but freshness. Thread clocks cost
    /// 0.25 to 0.8 us each, scheduler files 0.65 us (sizing study, section 7).
    /// </summary>
    private const double SamplesPerSecond = 1_000;

    /// <summary>Workers looked at in one tick at most, after a time of few.</summary>
    private const int MostSamples = 48;

    /// <summary>Scheduler files kept open at once: file handles are a scarce resource of the process, and a sample is enough.</summary>
    private const int MostFiles = 64;
    private const double FadeSeconds = 0.1;

    /// <summary>Sums under this many seconds are given up: a tick looks at all that are left.</summary>
    private const double Nothing = 1e-7;

    /// <summary>Time between two files that are taken from workers without work: most have some again at the next look.</summary>
    private const double DropSeconds = 0.05;

    /// <summary>
    /// After a longer time without a look the process slept, was stopped or collected garbage: what the clocks say of it is neither running nor blocked.
    /// </summary>
    private const double LongestGapSeconds = 0.3;

    // A few times the grain of the CPU clocks: less wall time says nothing. Where there are no scheduler files the clocks may be those of Windows, in steps of
    // 15.6 ms.
    private static readonly double s_least = ThreadMeter.HasFiles ? 0.004 : 0.06;

    private readonly Dictionary<ClassCore, Sums> _sums = [];
    private readonly List<ThreadMeter?> _meters = [];
    private readonly List<Reading> _readings = [];
    private double _lastTick;
    private double _credit = MostSamples;
    private double _droppedAt;
    private int _next;
    private int _files;
    private double _allCpu;

    /// <summary>CPU that sampled workers were seen to use since the pool began, in seconds.</summary>
    public double CpuSeconds { get; private set; }

    /// <summary>Looks at some workers.</summary>
    /// <param name="workers">All workers.</param>
    /// <param name="now">Time in seconds.</param>
    public void Observe(Worker?[] workers, double now)
    {
        if (now - _lastTick > LongestGapSeconds)
        {
            _sums.Clear();
            _allCpu = 0;
            CollectionsMarshal.AsSpan(_readings).Clear();
        }

        _credit = Math.Min(MostSamples, _credit + (SamplesPerSecond * Math.Max(0, now - _lastTick)));
        double keep = Math.Exp(-Math.Max(0, now - _lastTick) / FadeSeconds);
        _lastTick = now;
        _allCpu *= keep;
        foreach ((ClassCore core, Sums sums) in _sums)
        {
            sums.Fade(keep);
            if (sums.IsOver)
            {
                _allCpu = Math.Max(0, _allCpu - sums.AllCpu);
                _sums.Remove(core);
            }
        }

        while (_meters.Count < workers.Length)
        {
            _meters.Add(null);
            _readings.Add(default);
        }

        int most = (int)_credit;
        int sampled = 0;
        for (int i = 0; i < workers.Length && sampled < most; i++)
        {
            int index = (_next + i) % workers.Length;
            if (Sample(index, workers[index], now))
            {
                sampled++;
                if (sampled == most)
                {
                    _next = index + 1;
                }
            }
        }

        _credit -= sampled;
    }

    /// <summary>Share of the class's sampled wall time that was neither CPU nor run delay; NaN when too little is known.</summary>
    public double BlockedShare(ClassCore target) =>
        _sums.TryGetValue(target, out Sums? sums) && sums.Wall > s_least ? Math.Clamp(1 - ((sums.Cpu + sums.Delay) / sums.Wall), 0, 1) : double.NaN;

    /// <summary>The class's share of the sampled workers' CPU; NaN when none was seen.</summary>
    public double CpuShare(ClassCore target) => _allCpu > 0 && _sums.TryGetValue(target, out Sums? own) ? Math.Min(1, own.AllCpu / _allCpu) : double.NaN;

    private bool Sample(int index, Worker? worker, double now)
    {
        ThreadMeter? meter = _meters[index];
        if (worker?.Thread is null || worker.ThreadId == 0)
        {
            Drop(index);
            return false;
        }

        ClassCore? slot = worker.Slot;
        if (slot is null)
        {
            _readings[index] = default;
            if (meter is { KeepsFile: true } && _files >= MostFiles && now - _droppedAt >= DropSeconds)
            {
                // A worker without work must not keep the file from one that has some: a class whose workers all lack one cannot be judged.
                _droppedAt = now;
                Drop(index);
            }

            return false;
        }

        bool lacksFile = meter is { KeepsFile: false } && _files < MostFiles && ThreadMeter.HasFiles;
        if (meter is null || meter.ThreadId != worker.ThreadId || lacksFile)
        {
            Drop(index);
            meter = new ThreadMeter(worker.ThreadId, _files < MostFiles);
            _files += meter.KeepsFile ? 1 : 0;
            _meters[index] = meter;
        }

        if (!meter.TryRead(out double cpu, out double delay))
        {
            return false;
        }

        Reading before = _readings[index];
        _readings[index] = new Reading(now, cpu, delay, slot);
        if (before.Slot is not null)
        {
            CpuSeconds += cpu - before.Cpu;
        }

        if (!ReferenceEquals(before.Slot, slot) || now <= before.At)
        {
            return true;
        }

        if (!_sums.TryGetValue(slot, out Sums? sums))
        {
            _sums[slot] = sums = new Sums();
        }

        sums.AllCpu += cpu - before.Cpu;
        _allCpu += cpu - before.Cpu;
        if (!double.IsNaN(delay) && !double.IsNaN(before.Delay))
        {
            sums.Cpu += cpu - before.Cpu;
            sums.Delay += delay - before.Delay;
            sums.Wall += now - before.At;
        }

        return true;
    }

    private void Drop(int index)
    {
        if (_meters[index] is { } meter)
        {
            _files -= meter.KeepsFile ? 1 : 0;
            meter.Dispose();
            _meters[index] = null;
        }

        _readings[index] = default;
    }

    private readonly record struct Reading(double At, double Cpu, double Delay, ClassCore? Slot);

    private sealed class Sums
    {
        public double Cpu { get; set; }

        public double AllCpu { get; set; }

        public double Delay { get; set; }

        public double Wall { get; set; }

        /// <summary>Whether what is left says nothing any more.</summary>
        public bool IsOver => AllCpu < Nothing && Wall < Nothing;

        public void Fade(double keep)
        {
            Cpu *= keep;
            AllCpu *= keep;
            Delay *= keep;
            Wall *= keep;
        }
    }
}
