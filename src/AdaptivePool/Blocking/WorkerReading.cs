using AdaptivePool.Dispatch;
using AdaptivePool.Sensing;
using AdaptivePool.Stacks;

namespace AdaptivePool.Blocking;

/// <summary>What is remembered of one worker from look to look.</summary>
internal sealed class WorkerReading
{
    public Worker? Worker { get; set; }

    public long Sequence { get; set; } = -1;

    /// <summary>When the item was first seen, in seconds.</summary>
    public double Since { get; set; }

    public double Age { get; set; }

    public WorkerState State { get; set; }

    /// <summary>When the CPU clock of the thread was last read, and its value.</summary>
    public ThreadTime Time { get; set; } = ThreadTime.None;

    /// <summary>Where the worker itself reports that it waits, and since when.</summary>
    public WaitSite? Site { get; set; }

    public TimeSpan SiteAge { get; set; }

    public string? Reason { get; set; }

    public string ClassName { get; set; } = "";

    /// <summary>How the item blocks where it could not report that itself; <see langword="null"/> when it does not block.</summary>
    public BlockerEntry? Unnamed { get; set; }

    public double UnnamedSince { get; set; }

    public double UnnamedSeen { get; set; }

    public bool HasItem => State != WorkerState.Idle;

    public bool IsBlocked => State is WorkerState.BlockedManaged or WorkerState.BlockedKernel;

    /// <summary>Counts a wait without a name as over.</summary>
    public void EndUnnamed()
    {
        // A wait that was seen only once may have been over a microsecond later. A declared wait counts itself.
        if (UnnamedSeen > UnnamedSince && Unnamed is { Kind: not Worker.DeclaredKind } ended)
        {
            ended.Add(TimeSpan.FromSeconds(UnnamedSeen - UnnamedSince));
        }

        Unnamed = null;
    }

    /// <summary>Keeps the state of a worker that was not measured this time and is in no wait. If it was in a wait, that wait is over.</summary>
    /// <param name="now">Time in seconds.</param>
    public void Keep(double now)
    {
        Site = null;
        UnnamedSeen = now;
        if (State == WorkerState.BlockedManaged)
        {
            EndUnnamed();
            State = WorkerState.Running;
        }
    }

    /// <summary>
    /// Called when a wait has got its name, under which it counts when it ends. A wait without a name counts only if it was another one, before it.
    /// </summary>
    /// <param name="now">Time in seconds.</param>
    public void EndUnnamedForSite(double now)
    {
        if (UnnamedSeen >= now - SiteAge.TotalSeconds)
        {
            Unnamed = null;
        }

        EndUnnamed();
    }

    /// <summary>Begins with another worker or none, or with another item: what was known does not apply to it.</summary>
    /// <param name="worker">The worker that has the place now.</param>
    /// <param name="sequence">The number of its item; even while it has none.</param>
    /// <param name="now">Time in seconds.</param>
    public void Begin(Worker? worker, long sequence, double now)
    {
        EndUnnamed();
        (Worker, Sequence, Since, Age) = (worker, sequence, now, 0);
        (Time, Site) = (ThreadTime.None, null);
        State = (sequence & 1) != 0 ? WorkerState.Running : WorkerState.Idle;
        ClassName = worker?.Slot?.Name ?? "";
    }
}
