using System.Runtime.InteropServices;

namespace AdaptivePool.Sensing;

/// <summary>
/// What the sizing thread sees of the workers. <see cref="Observe"/>: which item each is at, since when, and whether it sleeps, in one pass; ages are exact to
/// a look, which costs the workers nothing. <see cref="Sample"/>: where their time goes, CPU, run delay, and the rest, which is blocked; a bounded number of
/// clocks is read per second, and what they say speaks of the last tenth of a second.
/// </summary>
/// <param name="mostFiles">Scheduler files kept open at once.</param>
internal sealed class WorkerWatch(int mostFiles = WorkerWatch.MostFiles)
{
    /// <summary>Scheduler files that are worth keeping open: a sample of the workers is enough.</summary>
    public const int MostFiles = 64;

    /// <summary>
    /// Workers whose clocks are read per second, in turn: a reading covers all the time since the one before, so that fewer lose nothing but freshness. Thread
    /// clocks cost 0.25 to 0.8 us each, scheduler files 0.65 us (sizing study, section 7).
    /// </summary>
    private const double SamplesPerSecond = 1_000;

    /// <summary>Workers sampled in one look at most, after a time of few.</summary>
    private const int MostSamples = 48;

    private const double FadeSeconds = 0.1;

    /// <summary>Time between two files that are taken from workers without work: most have some again at the next look.</summary>
    private const double DropSeconds = 0.05;

    /// <summary>Time until a file is asked for again after there was none.</summary>
    private const double NoFileSeconds = 0.05;

    /// <summary>
    /// After a longer time without a look the process slept, was stopped or collected garbage: what the clocks say of it is neither running nor blocked.
    /// </summary>
    private const double LongestGapSeconds = 0.3;

    private readonly List<Place> _places = [];
    private readonly Dictionary<ClassCore, ClassUse> _classes = [];
    private readonly List<ClassUse> _busy = [];
    private readonly HashSet<ClassUse> _sampled = [];
    private double _sampledAt;
    private double _credit = MostSamples;
    private double _droppedAt;
    private double _filesFrom;
    private int _next;
    private int _files;
    private double _allCpu;

    /// <summary>Workers that were at the same item at the look before, and for how long: what waits behind it is held up.</summary>
    public List<(Worker Worker, double Seconds)> RunningOn { get; } = [];

    /// <summary>Sum of all heartbeats: changes whenever an item starts or ends anywhere, and when a worker comes or goes.</summary>
    public long Heartbeats { get; private set; }

    /// <summary>Workers that were not seen to wait.</summary>
    public int Runnable { get; private set; }

    /// <summary>CPU that sampled workers were seen to use since the pool began, in seconds.</summary>
    public double CpuSeconds { get; private set; }

    /// <summary>What was seen of a class; <see langword="null"/> when nothing was yet.</summary>
    public ClassUse? Of(ClassCore target) => _classes.GetValueOrDefault(target);

    /// <summary>The class's share of the sampled workers' CPU; NaN when none was seen.</summary>
    public double CpuShare(ClassCore target) => _allCpu > 0 && Of(target) is { } own ? Math.Min(1, own.Cpu / _allCpu) : double.NaN;

    /// <summary>Looks at the items of all workers.</summary>
    /// <param name="workers">All workers.</param>
    /// <param name="now">Time in seconds, without what the process stood still.</param>
    public void Observe(Worker?[] workers, double now)
    {
        _busy.ForEach(static use => use.Clear());
        _busy.Clear();
        RunningOn.Clear();
        MakeRoom(workers.Length, now);
        (Heartbeats, Runnable) = (0, 0);
        for (int i = 0; i < workers.Length; i++)
        {
            Worker? worker = workers[i];
            Place place = _places[i];
            long sequence = worker?.Sequence ?? -1;
            Heartbeats += sequence;
            bool moved = sequence != place.Sequence;
            if (moved)
            {
                (place.Sequence, place.Since) = (sequence, now);
            }

            bool waits = worker is { IsSeenWaiting: true };
            Runnable += worker is null || waits ? 0 : 1;
            if (worker is null || (sequence & 1) == 0 || worker.Slot is not { } slot)
            {
                continue;
            }

            if (!moved)
            {
                RunningOn.Add((worker, now - place.Since));
            }

            Count(worker, slot, now - place.Since, waits);
        }
    }

    /// <summary>Reads the clocks of some workers.</summary>
    /// <param name="workers">All workers.</param>
    /// <param name="now">Time in seconds: clocks run on while the process collects garbage.</param>
    /// <param name="collected">Seconds for which the collector has stopped the process so far.</param>
    public void Sample(Worker?[] workers, double now, double collected)
    {
        MakeRoom(workers.Length, now);
        double elapsed = Math.Max(0, now - _sampledAt);
        if (elapsed > LongestGapSeconds)
        {
            foreach (ClassUse use in _sampled)
            {
                use.ForgetTime();
            }

            _sampled.Clear();
            _allCpu = 0;
            _places.ForEach(static place => place.Slot = null);
        }

        _credit = Math.Min(MostSamples, _credit + (SamplesPerSecond * elapsed));
        _sampledAt = now;
        double keep = Math.Exp(-elapsed / FadeSeconds);
        _allCpu *= keep;
        _sampled.RemoveWhere(use => !use.Fade(keep));
        int most = (int)_credit;
        int sampled = 0;
        for (int i = 0; i < workers.Length && sampled < most; i++)
        {
            int index = (_next + i) % workers.Length;
            if (ReadClocks(_places[index], workers[index], now, collected) && ++sampled == most)
            {
                _next = index + 1;
            }
        }

        _credit -= sampled;
    }

    private void MakeRoom(int workers, double now)
    {
        while (_places.Count < workers)
        {
            _places.Add(new Place { Since = now });
        }
    }

    private ClassUse UseOf(ClassCore core) => CollectionsMarshal.GetValueRefOrAddDefault(_classes, core, out _) ??= new ClassUse();

    private void Count(Worker worker, ClassCore slot, double age, bool waits)
    {
        ClassUse use = UseOf(slot);
        if (worker.Blocked && slot.IsInFlight)
        {
            // It has lent its slot: it counts for nobody.
            return;
        }

        if (use.Busy == 0)
        {
            _busy.Add(use);
        }

        bool isDeclared = worker.IsDeclared;
        (double sleeping, double forTask) = isDeclared ? (1, 1) : worker.Blocked ? worker.WaitShares(slot) : waits ? (1, 0) : (0, 0);
        use.Add(age, waits, sleeping, forTask, isDeclared);
    }

    private bool ReadClocks(Place place, Worker? worker, double now, double collected)
    {
        if (worker?.Thread is null || worker.ThreadId == 0)
        {
            Drop(place);
            return false;
        }

        ClassCore? slot = worker.Slot;
        if (slot is null)
        {
            place.Slot = null;
            if (place.Meter is { KeepsFile: true } && _files >= mostFiles && now - _droppedAt >= DropSeconds)
            {
                // A worker without work must not keep the file from one that has some: a class whose workers all lack one cannot be judged.
                _droppedAt = now;
                Drop(place);
            }

            return false;
        }

        if (place.Meter?.ThreadId != worker.ThreadId)
        {
            Drop(place);
            place.Meter = new ThreadMeter(worker.ThreadId);
        }

        if (!place.Meter.KeepsFile && _files < mostFiles && now >= _filesFrom && ThreadMeter.HasFiles)
        {
            // Where the process has no file left each try costs an exception.
            bool isKept = place.Meter.TryKeepFile();
            _files += isKept ? 1 : 0;
            _filesFrom = isKept ? now : now + NoFileSeconds;
        }

        if (!place.Meter.TryRead(out double cpu, out double delay))
        {
            return false;
        }

        (double used, double delayed, double wall, ClassCore? before) = (cpu - place.Cpu, delay - place.Delay, now - place.At, place.Slot);
        double paused = collected - place.Collected;
        (place.At, place.Cpu, place.Delay, place.Collected, place.Slot) = (now, cpu, delay, collected, slot);
        if (before is not null)
        {
            CpuSeconds += used;
        }

        if (ReferenceEquals(before, slot) && wall > 0)
        {
            ClassUse use = UseOf(slot);
            use.AddTime(used, delayed, wall, paused);
            _sampled.Add(use);
            _allCpu += used;
        }

        return true;
    }

    private void Drop(Place place)
    {
        _files -= place.Meter is { KeepsFile: true } ? 1 : 0;
        place.Meter?.Dispose();
        (place.Meter, place.Slot) = (null, null);
    }

    /// <summary>What is remembered of a place for a worker: its item and since when, and its clocks as they were last read, for which class.</summary>
    private sealed class Place
    {
        public long Sequence { get; set; } = -1;

        public double Since { get; set; }

        public ThreadMeter? Meter { get; set; }

        public double At { get; set; }

        public double Cpu { get; set; }

        public double Delay { get; set; }

        public double Collected { get; set; }

        /// <summary><see langword="null"/>: the clocks were not read since the worker had no class.</summary>
        public ClassCore? Slot { get; set; }
    }
}
