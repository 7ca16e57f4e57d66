using System.Collections.Concurrent;
using AdaptivePool.Runtime;
using AdaptivePool.Sensing;

namespace AdaptivePool.Guests;

/// <summary>
/// The thread that looks at the guests of all pools of the process: one that runs or sleeps for long takes its class in, and the runtime's pool is lent a
/// thread for as long. Where guests may be on their way that nobody looks at, it looks at that pool, too. Sleeps while there are no guests, and ends with the
/// last pool. Holds no formula.
/// </summary>
internal sealed class GuestWatch
{
    private readonly Lock _adding = new();
    private readonly ConcurrentQueue<(GuestClass Class, TrustChange Change, string Reason)> _told = new();
    private readonly Doze<RealSync> _doze;
    private readonly ThreadSource _threads;
    private readonly RuntimeMinimum _minimum;
    private readonly HeldPoolRule _held = new();
    private GuestSlot[] _slots = [];
    private int _pools;
    private bool _hasBegun;

    /// <param name="threads">Where its thread comes from.</param>
    /// <param name="minimum">Lends threads to the runtime's pool.</param>
    public GuestWatch(ThreadSource threads, RuntimeMinimum minimum)
    {
        (_threads, _minimum) = (threads, minimum);
        _doze = new Doze<RealSync>(HasWork);
    }

    /// <summary>The watch of this process.</summary>
    public static GuestWatch Process { get; } = new(ThreadSource.System, RuntimeMinimum.Process);

    /// <summary>What it says to the classes about which guests are to be looked at.</summary>
    public LookTurns Turns { get; } = new();

    /// <summary>Whether it sleeps until a guest begins. A hint.</summary>
    public bool IsAsleep => _doze.IsAsleep;

    /// <summary>A pool has begun that may have guests.</summary>
    public void Join()
    {
        lock (_adding)
        {
            _pools++;
        }
    }

    /// <summary>
    /// It has ended, and was closed before. Threads keep nothing of it. Soon after the last one the thread of the watch ends, too: it would keep a plugin's own
    /// copy of the library.
    /// </summary>
    public void Leave()
    {
        lock (_adding)
        {
            _pools--;
            Array.ForEach(_slots, static slot => slot.Forget());
        }

        _doze.Call();
    }

    /// <summary>A thread runs a guest for the first time.</summary>
    public void Add(GuestSlot slot)
    {
        lock (_adding)
        {
            // Threads of the runtime's pool come and go.
            Volatile.Write(ref _slots, [.. _slots.Where(static it => it.Thread.IsAlive), slot]);
        }

        _ = TryBegin();
    }

    /// <summary>A guest has begun: its slot says so. Any thread; a read when the watch is awake.</summary>
    public void WakeUp() => _doze.WakeUp();

    /// <summary>Trust in a class was earned or lost: the pool's listeners are told, on the watch's thread. Any thread.</summary>
    public void Tell(GuestClass guests, TrustChange change, string reason)
    {
        _told.Enqueue((guests, change, reason));
        _ = TryBegin();
        _doze.WakeUp();
        _doze.Call();
    }

    /// <summary>Sees to it that somebody looks. Any thread.</summary>
    /// <returns><see langword="false"/> when nobody does, because the system refused a thread: no class is trusted then.</returns>
    public bool TryBegin()
    {
        lock (_adding)
        {
            return _hasBegun = _hasBegun || _threads.TryStart(Run, "AdaptivePool guests", 0, out _);
        }
    }

    private bool TryEnd()
    {
        lock (_adding)
        {
            // A class that becomes a guest, and a new thread, ask for a thread afterwards, under the lock: they are seen here, or begin another one. Guests of
            // pools that have ended are nobody's.
            _hasBegun = _pools > 0 || HasWork();
            return !_hasBegun;
        }
    }

    private bool HasWork() => !_told.IsEmpty || Array.Exists(Volatile.Read(ref _slots), static it => it.IsRunning);

    private void Run()
    {
        // What the runtime makes once, it makes here, where there is memory: if that fails, it is never tried again.
        _ = RuntimePoolView.Completed + RuntimePoolView.Pending;
        long lastAt = Stopwatch.GetTimestamp();
        TimeSpan lastPauses = GC.GetTotalPauseDuration();
        while (true)
        {
            _doze.Pause(GuestAgeRule.Period);
            long now = Stopwatch.GetTimestamp();
            TimeSpan elapsed = Stopwatch.GetElapsedTime(lastAt, now);
            lastAt = now;
            TimeSpan pauses = GC.GetTotalPauseDuration();
            TimeSpan collected = pauses - lastPauses;
            lastPauses = pauses;
            TellListeners();

            // Before it may fall asleep: the first guest after that is looked at.
            Turns.Next();
            int held = CountLong(elapsed, collected, out bool isUsed);
            try
            {
                LookAtQueue(elapsed, collected);
            }
            catch (OutOfMemoryException)
            {
                // The heap is full for a moment: the next look sees what this one did not.
            }

            _minimum.Raise(held + _held.Lent);

            // What the runtime has refused to take back is offered again with each look.
            if (!isUsed && _held.Lent == 0 && !Turns.AreUnseen && _minimum.Raised == 0)
            {
                // At once: a look costs more than the next guest's wake of this thread, and where requests come slowly nearly all looks would see none.
                if (TryEnd())
                {
                    return;
                }

                _doze.Sleep();
                lastAt = Stopwatch.GetTimestamp();
            }
        }
    }

    // A method of its own: code that is not optimized keeps what it has called in its frame, and the frame of Run lives on for as long as there are pools.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void TellListeners()
    {
        while (_told.TryDequeue(out var told))
        {
            told.Class.Owner.Pool.OnGuests(told.Class.Owner, told.Change, told.Reason);
        }
    }

    private void LookAtQueue(TimeSpan elapsed, TimeSpan collected)
    {
        if ((_held.Lent == 0 && !Turns.AreUnseen) || !_held.Suspects(elapsed, collected, RuntimePoolView.Completed, static () => RuntimePoolView.Pending))
        {
            return;
        }

        (int threads, int asleep) = RuntimePoolView.Threads();
        if (_held.Observe(threads, asleep, RuntimePoolView.Pending, _minimum.Spare(RuntimePoolView.ThreadCount)))
        {
            Turns.LookAtAll();
            if (_held.IsStarved)
            {
                RuntimePoolWatch.Process.Report(_held.Age.TotalSeconds);
            }
        }
    }

    private int CountLong(TimeSpan elapsed, TimeSpan collected, out bool isUsed)
    {
        int count = 0;
        isUsed = false;
        foreach (GuestSlot slot in Volatile.Read(ref _slots))
        {
            isUsed |= slot.IsRunning || slot.Sequence != slot.SeenSequence;
            if (IsLong(slot, elapsed, collected, out double computed))
            {
                count++;
                if (OwnerOf(slot) is not { } owner)
                {
                    continue;
                }

                if (!GuestAgeRule.LosesTrust(slot.Age, computed, owner.WaitsBriefly, count, Environment.ProcessorCount))
                {
                    if (GuestAgeRule.HoldsUp(count, Environment.ProcessorCount))
                    {
                        owner.HoldUp();
                    }
                }
                else if (!ReferenceEquals(slot.Blamed, owner))
                {
                    // One that hangs while its class earns trust again would take it in each time, and double what that takes.
                    slot.Blamed = owner;
                    owner.TakeIn(TrustChange.Long);
                }
            }
        }

        return count;
    }

    // Nobody's any more where it has just ended.
    private static GuestClass? OwnerOf(GuestSlot slot) => slot.OwnerOf(slot.SeenSequence) as GuestClass;

    // What the system tells is asked for suspects only: their CPU clock costs half a microsecond, their state ten. In seconds: what it has computed since the
    // watch first saw it.
    private static bool IsLong(GuestSlot slot, TimeSpan elapsed, TimeSpan collected, out double computed)
    {
        int sequence = slot.Sequence;
        bool isSame = sequence == slot.SeenSequence && (sequence & 1) != 0;
        bool isNew = isSame && slot.Age == TimeSpan.Zero;
        slot.Age = GuestAgeRule.Age(slot.Age, isSame, elapsed, collected);
        slot.SeenSequence = sequence;
        slot.Blamed = isSame ? slot.Blamed : null;
        double cpu = isSame ? ThreadClock.Seconds(slot.ThreadId) : double.NaN;
        slot.CpuAtFirst = isNew ? cpu : slot.CpuAtFirst;
        computed = cpu - slot.CpuAtFirst;
        bool asks = GuestAgeRule.AsksForSleep(slot.Age, OwnerOf(slot) is { WaitsBriefly: true });
        return GuestAgeRule.IsLong(slot.Age, computed, asks ? ThreadProbe.IsAsleep(slot.ThreadId) : null);
    }
}
