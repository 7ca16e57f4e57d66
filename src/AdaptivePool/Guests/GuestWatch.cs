using System.Collections.Concurrent;
using AdaptivePool.Runtime;
using AdaptivePool.Sensing;

namespace AdaptivePool.Guests;

/// <summary>
/// The thread that looks at the guests of all pools of the process. A guest that runs or sleeps for long costs its class the trust, and the runtime's pool is
/// lent a thread meanwhile. Where guests may be on their way that are not looked at, the watch looks at that pool, too. It sleeps while there are no guests,
/// and ends with the last pool. Holds no formula.
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

    /// <summary>What the watch tells the classes about which guests to look at.</summary>
    public LookTurns Turns { get; } = new();

    /// <summary>Whether the watch sleeps until a guest begins. A hint.</summary>
    public bool IsAsleep => _doze.IsAsleep;

    /// <summary>Called when a pool has begun that may have guests.</summary>
    public void Join()
    {
        lock (_adding)
        {
            _pools++;
        }
    }

    /// <summary>
    /// Called when such a pool has ended, and was closed before. Threads keep nothing of it. Soon after the last pool, the thread of the watch ends, too: it
    /// would keep a plugin's own copy of the library.
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

    /// <summary>Called when a thread runs a guest for the first time.</summary>
    public void Add(GuestSlot slot)
    {
        lock (_adding)
        {
            // Threads of the runtime's pool come and go.
            Volatile.Write(ref _slots, [.. _slots.Where(static it => it.Thread.IsAlive), slot]);
        }

        _ = TryBegin();
    }

    /// <summary>Called when a guest has begun and its slot shows it. Any thread; only a read when the watch is awake.</summary>
    public void WakeUp() => _doze.WakeUp();

    /// <summary>Reports that trust in a class was earned or lost: the pool's listeners are called on the watch's thread. Any thread.</summary>
    public void Tell(GuestClass guests, TrustChange change, string reason)
    {
        _told.Enqueue((guests, change, reason));
        _ = TryBegin();
        _doze.WakeUp();
        _doze.Call();
    }

    /// <summary>Makes sure that the watch runs. Any thread.</summary>
    /// <returns><see langword="false"/> when it does not run, because the system refused a thread: no class is trusted then.</returns>
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
            // A class that gets guests, and a new thread, ask for the watch afterwards, under the lock: they are seen here, or begin another watch. Guests of
            // pools that have ended belong to no pool.
            _hasBegun = _pools > 0 || HasWork();
            return !_hasBegun;
        }
    }

    private bool HasWork() => !_told.IsEmpty || Array.Exists(Volatile.Read(ref _slots), static it => it.IsRunning);

    private void Run()
    {
        // The runtime creates some objects once. They are created here, where there is memory: if that fails, it is never tried again.
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

            // Before the watch may fall asleep: the first guest after that is looked at.
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

            // A loan that the runtime has refused to give back is offered again at each look.
            if (!isUsed && _held.Lent == 0 && !Turns.AreUnseen && _minimum.Raised == 0)
            {
                // Sleeps at once: a look costs more than the next guest's wake of this thread, and where requests come slowly, nearly all looks would see no
                // guest.
                if (TryEnd())
                {
                    return;
                }

                _doze.Sleep();
                lastAt = Stopwatch.GetTimestamp();
            }
        }
    }

    // A method of its own: code that is not optimized keeps objects that it has used in its frame, and the frame of Run lives on for as long as there are
    // pools.
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
                    // Otherwise a guest that hangs while its class earns trust again would end it each time, and double what trust takes.
                    slot.Blamed = owner;
                    owner.TakeIn(TrustChange.Long);
                }
            }
        }

        return count;
    }

    // No owner any more where the guest has just ended.
    private static GuestClass? OwnerOf(GuestSlot slot) => slot.OwnerOf(slot.SeenSequence) as GuestClass;

    // The system is asked about suspects only: their CPU clock costs half a microsecond, their state ten. The computed time is in seconds, since the watch
    // first saw the guest.
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
