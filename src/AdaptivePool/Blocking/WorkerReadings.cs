using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Sensing;

namespace AdaptivePool.Blocking;

/// <summary>
/// Looks at all workers and remembers what the next look needs. The monitor looks, and so does each caller that takes a snapshot; under a lock, because they
/// share the memory. A look reads a bounded number of clocks and files.
/// </summary>
internal sealed class WorkerReadings(WorkerSet set)
{
    /// <summary>Thread clocks read per look, at 0.3 to 0.8 us each; workers beyond that keep their state until their turn.</summary>
    private const int MostClocks = 128;

    /// <summary>Files of threads read per look, at up to 25 us each: with five looks per second a tenth of a percent of a core.</summary>
    private const int MostFiles = 8;

    /// <summary>Files that one worker needs at most. A worker that began with fewer left would be the last at each look, and never get its name.</summary>
    private const int FilesOfOne = 2;

    private readonly SyncLock<RealSync> _looking = new();
    private readonly List<WorkerReading> _readings = [];
    private int _clocks;
    private int _files;
    private int _first;
    private TimeSpan _pausesBefore;

    private bool HasFiles => _files <= MostFiles - FilesOfOne;

    private bool HasBudget => _clocks < MostClocks && HasFiles;

    /// <summary>Looks at all workers, and lets the caller read what was seen.</summary>
    /// <typeparam name="T">What the caller makes of it.</typeparam>
    /// <param name="read">Called once, inside the lock.</param>
    public T Look<T>(Func<IReadOnlyList<WorkerReading>, T> read)
    {
        using SyncLock<RealSync>.Holder held = _looking.Hold();
        Worker?[] workers = set.Workers;
        while (_readings.Count < workers.Length)
        {
            _readings.Add(new WorkerReading());
        }

        double now = QueueAges<RealSync>.Now;
        TimeSpan pauses = GC.GetTotalPauseDuration();
        _clocks = 0;
        _files = 0;
        int count = workers.Length;
        int start = _first;
        for (int i = 0; i < count; i++)
        {
            int index = (start + i) % count;
            if (HasBudget)
            {
                // The worker after the last one for which there was a budget is the first of the next look.
                _first = index + 1;
            }

            Observe(_readings[index], Volatile.Read(ref workers[index]), now, pauses.TotalSeconds);
        }

        _pausesBefore = pauses;
        return read(_readings);
    }

    /// <summary>Ends what is under way, because there is no look for a while.</summary>
    public void Pause()
    {
        using SyncLock<RealSync>.Holder held = _looking.Hold();
        foreach (WorkerReading reading in _readings)
        {
            reading.EndUnnamed();
            reading.Time = ThreadTime.None;
        }
    }

    private void Observe(WorkerReading reading, Worker? worker, double now, double pauses)
    {
        if (worker?.Thread is not { } thread)
        {
            reading.Begin(null, 0, now);
            return;
        }

        long sequence = worker.Sequence;
        bool hasItem = (sequence & 1) != 0;
        if (!ReferenceEquals(reading.Worker, worker) || reading.Sequence != sequence)
        {
            reading.Begin(worker, sequence, now);
        }

        long startedAt = worker.ItemStartedAt;
        reading.Age = !hasItem ? 0 : startedAt != 0 ? Stopwatch.GetElapsedTime(startedAt).TotalSeconds : now - reading.Since;
        bool inWait = worker.Blocked;
        bool sleeps = thread.ThreadState.HasFlag(System.Threading.ThreadState.WaitSleepJoin);
        reading.Reason = worker.Reason;
        var seen = new WorkerObservation(hasItem, inWait, sleeps, reading.Age, double.NaN, ThreadProbe.Unknown);
        bool isKept = WorkerClassRule.NeedsKernelState(seen) && !Measure(reading, worker, ref seen, now, pauses);
        if (worker.Sequence is var present && present != sequence)
        {
            // The item has ended meanwhile: what was read of its thread is that of a worker that has lain down.
            reading.Begin(worker, present, now);
            return;
        }

        if (isKept)
        {
            reading.Keep(now);
            reading.ClassName = ClassOf(reading, worker);
            return;
        }

        if (!hasItem || inWait || sleeps)
        {
            reading.Time = ThreadTime.None;
        }

        reading.State = WorkerClassRule.Classify(seen);
        reading.ClassName = (inWait ? worker.WaitingClass : null) ?? ClassOf(reading, worker);

        // The site is read first: its time was written before it.
        reading.Site = reading.IsBlocked ? worker.Site : null;
        reading.SiteAge = reading.Site is null ? TimeSpan.Zero : Stopwatch.GetElapsedTime(worker.SiteSince);
        FindKind(reading, worker, seen, now);
    }

    /// <summary>A blocked worker is reported under the class of its item, any other worker under the class of its slot.</summary>
    private static string ClassOf(WorkerReading reading, Worker worker) =>
        (reading.IsBlocked ? worker.OwnerName : worker.Slot?.Name) ?? "";

    private bool Measure(WorkerReading reading, Worker worker, ref WorkerObservation seen, double now, double pauses)
    {
        var time = new ThreadTime(now, double.NaN, pauses);
        double window = time.Since(reading.Time);
        if (window < WorkerClassRule.LeastSeconds || _clocks == MostClocks)
        {
            return false;
        }

        _clocks++;
        time = time with { Cpu = ThreadClock.Seconds(worker.ThreadId) };
        double share = (time.Cpu - reading.Time.Cpu) / window;
        if (WorkerClassRule.IsTelling(window, seen.KernelState))
        {
            seen = seen with { CpuShare = share };
        }

        bool isTold = !WorkerClassRule.NeedsKernelState(seen) || !ThreadProbe.IsSupported || AskKernel(reading, worker, ref seen, window, share);
        if (isTold || !(window < WorkerClassRule.StillSeconds))
        {
            // Where nothing is known the window grows, until it is long enough to decide without the kernel.
            reading.Time = time;
        }

        return isTold;
    }

    private bool AskKernel(WorkerReading reading, Worker worker, ref WorkerObservation seen, double window, double share)
    {
        if (!HasFiles)
        {
            // A starved worker uses as little CPU as a blocked one: without a state from the kernel nothing is reported.
            return false;
        }

        _files++;
        char state = ThreadProbe.State(worker.ThreadId);
        seen = seen with { KernelState = state, CpuShare = WorkerClassRule.IsTelling(window, state) ? share : double.NaN };
        if (!ThreadProbe.IsAsleep(state) || WorkerClassRule.IsStill(window, share, reading.State == WorkerState.BlockedKernel)
            || GC.GetTotalPauseDuration() == _pausesBefore)
        {
            // Where there was no collection since the look before, the runtime does not hold it.
            return true;
        }

        seen = seen with { SystemCall = SystemCall(worker.ThreadId) };
        return !ThreadProbe.MayBeHeld(seen.SystemCall);
    }

    private void FindKind(WorkerReading reading, Worker worker, in WorkerObservation seen, double now)
    {
        if (reading.IsBlocked && reading.Site is not null)
        {
            reading.EndUnnamedForSite(now);
            return;
        }

        if (!reading.IsBlocked)
        {
            reading.EndUnnamed();
            return;
        }

        string? known = reading.State == WorkerState.BlockedKernel ? reading.Unnamed?.Kind : null;
        string kind = worker.IsDeclared ? Worker.DeclaredKind
            : seen.InWait ? "managed wait"
            : seen.Sleeps ? "Thread.Sleep"
            : known ?? seen.SystemCall ?? SystemCall(worker.ThreadId);
        BlockerEntry entry = set.Blockers.Get(null, kind, reading.Reason, reading.ClassName);
        if (!ReferenceEquals(entry, reading.Unnamed))
        {
            reading.EndUnnamed();
            reading.Unnamed = entry;
            reading.UnnamedSince = now;
        }

        reading.UnnamedSeen = now;
    }

    private string SystemCall(int threadId)
    {
        _files++;
        return ThreadProbe.SystemCall(threadId);
    }
}
