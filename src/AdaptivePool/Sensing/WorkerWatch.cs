using System.Runtime.InteropServices;
using AdaptivePool.Dispatch;
using AdaptivePool.Internal;
using Microsoft.Win32.SafeHandles;

namespace AdaptivePool.Sensing;

/// <summary>
/// What the sizing thread sees of the workers, in one pass. Of all workers: which item each is at, since when, and whether it sleeps; ages are exact to a
/// look, which costs the workers nothing. Of some workers: where their time goes, which is CPU, run delay, and the rest, which is blocked. A bounded number of
/// clocks is read per second, and the readings describe the last tenth of a second.
/// </summary>
/// <param name="mostFiles">Scheduler files kept open at once.</param>
internal sealed class WorkerWatch(int mostFiles = WorkerWatch.MostFiles)
{
    /// <summary>Scheduler files that are worth keeping open: a sample of the workers is enough.</summary>
    public const int MostFiles = 64;

    /// <summary>
    /// Workers whose clocks are read per second, in turn: a reading covers all the time since the one before, so that fewer readings lose nothing but
    /// freshness. Thread clocks cost 0.25 to 0.8 us each, scheduler files 0.65 us (sizing study, section 7).
    /// </summary>
    private const double SamplesPerSecond = 1_000;

    /// <summary>Workers sampled in one look at most, after a time of few samples.</summary>
    private const int MostSamples = 48;

    private const double FadeSeconds = 0.1;

    /// <summary>Time until a file is asked for again after there was none, or after the last one that may be kept.</summary>
    private const double FileSeconds = 0.05;

    /// <summary>
    /// After a longer time without a look the process slept, was stopped or collected garbage: the clocks then show neither running nor blocked time.
    /// </summary>
    private const double LongestGapSeconds = 0.3;

    private readonly List<Place> _places = [];
    private readonly Dictionary<ClassCore, ClassUse> _classes = [];
    private readonly HashSet<ClassUse> _seen = [];
    private double _clock;
    private double _credit = MostSamples;
    private double _filesFrom;
    private int _next;
    private int _files;
    private double _allCpu;

    /// <summary>Workers that were at the same item at the look before, and for how long: what waits behind it is held up.</summary>
    public ValueList<RunningItem<RealSync>> RunningOn { get; } = new();

    /// <summary>Sum of all heartbeats: changes whenever an item starts or ends anywhere, and when a worker comes or goes.</summary>
    public long Heartbeats { get; private set; }

    /// <summary>Workers that were not seen to wait.</summary>
    public int Runnable { get; private set; }

    /// <summary>CPU that sampled workers were seen to use since the pool began, in seconds.</summary>
    public double CpuSeconds { get; private set; }

    /// <summary>What was seen of a class.</summary>
    public ClassUse Of(ClassCore target) => CollectionsMarshal.GetValueRefOrAddDefault(_classes, target, out _) ??= new ClassUse();

    /// <summary>The class's share of the sampled workers' CPU; NaN when none was seen.</summary>
    public double CpuShare(ClassCore target) => _allCpu > 0 ? Math.Min(1, Of(target).Cpu / _allCpu) : double.NaN;

    /// <summary>Looks at the items of all workers, and reads the clocks of some.</summary>
    /// <param name="workers">All workers.</param>
    /// <param name="now">Time in seconds, without the time in which the process stood still.</param>
    /// <param name="clock">Time in seconds on the workers' clocks, which run on while the process collects garbage.</param>
    /// <param name="collected">Seconds for which the collector has stopped the process so far.</param>
    public void Look(Worker?[] workers, double now, double clock, double collected)
    {
        double elapsed = Math.Max(0, clock - _clock);
        double keep = Math.Exp(-elapsed / FadeSeconds);
        if (elapsed > LongestGapSeconds)
        {
            keep = 0;
            _places.ForEach(static place => place.Slot = null);
        }

        _clock = clock;
        _credit = Math.Min(MostSamples, _credit + (SamplesPerSecond * elapsed));
        _allCpu *= keep;
        _seen.RemoveWhere(use => !use.Fade(keep));
        RunningOn.Truncate(0);
        (Heartbeats, Runnable) = (0, 0);
        while (_places.Count < workers.Length)
        {
            _places.Add(new Place { Since = now });
        }

        int first = _next;
        for (int i = 0; i < workers.Length; i++)
        {
            int index = (first + i) % workers.Length;
            (Place place, Worker? worker) = (_places[index], workers[index]);
            Observe(place, worker, now);
            if (_credit >= 1 && ReadClocks(place, worker, collected))
            {
                _credit--;
                _next = index + 1;
            }
        }
    }

    /// <summary>Gives back what is held for workers that have ended: the files of their threads.</summary>
    public void GiveBack() => _places.ForEach(Drop);

    private void Observe(Place place, Worker? worker, double now)
    {
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
            return;
        }

        if (!moved)
        {
            RunningOn.Add(new(worker, now - place.Since));
        }

        Count(worker, slot, now - place.Since, waits);
    }

    private void Count(Worker worker, ClassCore slot, double age, bool waits)
    {
        ClassUse use = Of(slot);
        if (worker.Blocked && slot.IsInFlight)
        {
            // The worker has lent its slot, so it does not count.
            return;
        }

        if (use.Busy == 0)
        {
            _seen.Add(use);
        }

        bool isDeclared = worker.IsDeclared;
        (double sleeping, double forTask) = isDeclared ? (1, 1) : worker.Blocked ? worker.WaitShares(slot) : waits ? (1, 0) : (0, 0);
        use.Add(age, waits, sleeping, forTask, isDeclared);
    }

    private bool ReadClocks(Place place, Worker? worker, double collected)
    {
        int threadId = worker?.Thread is null ? 0 : worker.ThreadId;
        if (threadId != place.ThreadId)
        {
            Drop(place);
            place.ThreadId = threadId;
        }

        if (threadId == 0 || worker?.Slot is not { } slot)
        {
            place.Slot = null;
            if (_files >= mostFiles)
            {
                // A worker without work must not keep the file from one that has some: a class whose workers all lack one cannot be judged.
                Drop(place);
            }

            return false;
        }

        if (place.File is null && _files < mostFiles && _clock >= _filesFrom && ScheduleFile.IsSupported)
        {
            place.File = ScheduleFile.TryOpen(threadId);
            _files += place.File is null ? 0 : 1;

            // Where the process has no file left, each try costs an exception. With the last file, one worker's gain is another's loss: most workers without
            // work have some again at the next look.
            _filesFrom = place.File is not null && _files < mostFiles ? _clock : _clock + FileSeconds;
        }

        var time = new ThreadTime(_clock, ThreadClock.Seconds(threadId), collected);
        if (double.IsNaN(time.Cpu))
        {
            return false;
        }

        // Without scheduler statistics a thread that waits for a core reads as blocked. With no more workers than cores, hardly any thread does.
        double delay = !ScheduleFile.IsSupported ? 0 : place.File is { } file ? ScheduleFile.ReadDelay(file) : double.NaN;
        (ThreadTime timeBefore, double delayBefore, ClassCore? slotBefore) = (place.Time, place.Delay, place.Slot);
        (place.Time, place.Delay, place.Slot) = (time, delay, slot);
        double used = time.Cpu - timeBefore.Cpu;
        if (slotBefore is not null)
        {
            CpuSeconds += used;
        }

        if (ReferenceEquals(slotBefore, slot) && time.At > timeBefore.At)
        {
            ClassUse use = Of(slot);
            use.AddTime(used, delay - delayBefore, time.Since(timeBefore));
            _seen.Add(use);
            _allCpu += used;
        }

        return true;
    }

    private void Drop(Place place)
    {
        _files -= place.File is null ? 0 : 1;
        place.File?.Dispose();
        (place.File, place.Slot) = (null, null);
    }

    /// <summary>What is remembered of a place for a worker: its item and since when, and its clocks as they were last read, with the class.</summary>
    private sealed class Place
    {
        public long Sequence { get; set; } = -1;

        public double Since { get; set; }

        public int ThreadId { get; set; }

        public SafeFileHandle? File { get; set; }

        public ThreadTime Time { get; set; }

        public double Delay { get; set; }

        /// <summary><see langword="null"/>: the clocks were not read since the worker had no class.</summary>
        public ClassCore? Slot { get; set; }
    }
}
