using AdaptivePool.Classes;
using AdaptivePool.Workers;

namespace AdaptivePool.Measurement;

/// <summary>
/// Where the workers' time goes, per class: CPU, run delay, and the rest, which is blocked. A bounded number of busy workers is looked at per tick; sums fade, so that they speak of the last tenth
/// of a second.
/// </summary>
internal sealed class WorkerSampler
{
    /// <summary>Workers looked at per tick: thread clocks cost 0.25 us each, scheduler files 0.65 us (sizing study, section 7).</summary>
    private const int SamplesPerTick = 48;

    /// <summary>Scheduler files kept open at once: file handles are a scarce resource of the process, and a sample is enough.</summary>
    private const int MostFiles = 64;
    private const double FadeSeconds = 0.1;

    // A few milliseconds of wall time: less than the grain of the CPU clocks says nothing.
    private const double Least = 0.004;

    private readonly Dictionary<ClassCore, Sums> _sums = [];
    private readonly List<ThreadMeter?> _meters = [];
    private readonly List<Reading> _readings = [];
    private double _lastTick;
    private int _next;
    private int _files;

    /// <summary>Looks at some workers.</summary>
    /// <param name="workers">All workers.</param>
    /// <param name="now">Time in seconds.</param>
    public void Observe(Worker?[] workers, double now)
    {
        double keep = Math.Exp(-Math.Max(0, now - _lastTick) / FadeSeconds);
        _lastTick = now;
        foreach (Sums sums in _sums.Values)
        {
            sums.Fade(keep);
        }

        while (_meters.Count < workers.Length)
        {
            _meters.Add(null);
            _readings.Add(default);
        }

        int sampled = 0;
        for (int i = 0; i < workers.Length && sampled < SamplesPerTick; i++)
        {
            int index = (_next + i) % workers.Length;
            if (Sample(index, workers[index], now))
            {
                sampled++;
                if (sampled == SamplesPerTick)
                {
                    _next = index + 1;
                }
            }
        }
    }

    /// <summary>Share of the class's sampled wall time that was CPU; NaN when too little is known.</summary>
    public double ActiveShare(ClassCore target) =>
        _sums.TryGetValue(target, out Sums? sums) && sums.Wall > Least ? Math.Clamp(sums.Cpu / sums.Wall, 0, 1) : double.NaN;

    /// <summary>Share of the class's sampled wall time that was neither CPU nor run delay; NaN when too little is known.</summary>
    public double BlockedShare(ClassCore target) =>
        _sums.TryGetValue(target, out Sums? sums) && sums.Wall > Least ? Math.Clamp(1 - ((sums.Cpu + sums.Delay) / sums.Wall), 0, 1) : double.NaN;

    /// <summary>The class's share of the sampled workers' CPU; NaN when none was seen.</summary>
    public double CpuShare(ClassCore target)
    {
        double all = 0;
        foreach (Sums sums in _sums.Values)
        {
            all += sums.AllCpu;
        }

        return all > 0 && _sums.TryGetValue(target, out Sums? own) ? own.AllCpu / all : double.NaN;
    }

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
            if (meter is { KeepsFile: true } && _files >= MostFiles)
            {
                // A worker without work must not keep the file from one that has some: a class whose workers all lack one cannot be judged.
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
        if (!ReferenceEquals(before.Slot, slot) || now <= before.At)
        {
            return true;
        }

        if (!_sums.TryGetValue(slot, out Sums? sums))
        {
            _sums[slot] = sums = new Sums();
        }

        sums.AllCpu += cpu - before.Cpu;
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

        public void Fade(double keep)
        {
            Cpu *= keep;
            AllCpu *= keep;
            Delay *= keep;
            Wall *= keep;
        }
    }
}
