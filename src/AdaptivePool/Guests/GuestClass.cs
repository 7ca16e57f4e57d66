using AdaptivePool.Dispatch;
using AdaptivePool.Runtime;
using AdaptivePool.Stacks;

namespace AdaptivePool.Guests;

/// <summary>Lets requests of one class run where the server put them, and counts them. When one waits, the class goes back to workers.</summary>
internal sealed class GuestClass
{
    /// <summary>One guest in this many is timed in a class that waits briefly, with two system calls before it and two after.</summary>
    private const int TimeOneIn = 64;

    private static readonly long s_lookEvery = Stopwatch.Frequency / 100;

    private static int s_waiting;
    private readonly Lock _deciding = new();
    private readonly GuestRule _rule = new();
    private readonly GuestLooks _looks = new(GuestWatch.Process.Turns);
    private readonly StripedCounter _requests = new();
    private readonly BriefGuests _brief = new(GuestWatch.Process.Turns);
    private GuestCounts _last;
    private long _lookAt;
    private bool _isGuest;
    private bool _waitsBriefly;
    private string _reason = "";

    /// <param name="owner">The class.</param>
    public GuestClass(WorkClass owner)
    {
        Owner = owner;
        owner.Core.Runs = new();
        _last = Count();
    }

    /// <summary>The class.</summary>
    public WorkClass Owner { get; }

    /// <summary>Whether its requests may run where the server put them.</summary>
    public bool IsGuest => Volatile.Read(ref _isGuest);

    /// <summary>Whether it has guests although its requests wait.</summary>
    public bool WaitsBriefly => Volatile.Read(ref _waitsBriefly);

    /// <summary>The reason for this; empty before the first decision.</summary>
    public string Reason => Volatile.Read(ref _reason);

    /// <summary>Requests that began where the server put them.</summary>
    public long Requests => _requests.Value;

    /// <summary>Runs a request on the calling thread, if the class is trusted and the thread is one of the runtime's pool.</summary>
    /// <param name="function">Begins the request.</param>
    /// <param name="state">What to give it.</param>
    /// <param name="task">The request. It ends as the task that the function returned.</param>
    public bool TryRun<TState>(Func<TState, Task> function, TState state, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Task? task)
    {
        // Where sockets complete inline, the server calls on the thread that reads all of them: a lent thread does not help while a guest waits there.
        if (!Thread.CurrentThread.IsThreadPoolThread || !(IsGuest ? !WaitsBriefly || MayWait() : Earns()))
        {
            task = null;
            return false;
        }

        long number = _requests.Increment(Environment.CurrentManagedThreadId);
        GuestSlot slot = GuestSlot.Current;

        // Only a context sees waits, and a blocking action needs them wherever the flow of execution goes. The context of a guest around this one would take
        // the awaits of this one for its own.
        if (!AdaptiveThreadPool.HasBlockingActions && SynchronizationContext.Current is null && !_looks.Wants(number, _requests))
        {
            using var unseen = new Stay(slot, this, context: null);
            task = Call(function, state);
            if (!task.IsCompleted)
            {
                GuestWatch.Process.Turns.OnUnseen();
            }

            return true;
        }

        RunTimes<RealSync>? times = WaitsBriefly && number % TimeOneIn == 0 ? Owner.Core.Runs : null;
        (long start, ThreadUse begun) = times is null ? default : (Stopwatch.GetTimestamp(), RunTimes<RealSync>.Begin());
        GuestContext context = slot.Take(this);
        try
        {
            using Stay stay = new(slot, this, context);
            task = Call(function, state);
            if (!task.IsCompleted)
            {
                task = context.Follow(task);
                if (times is not null)
                {
                    // The continuation of its awaits is not timed.
                    TakeIn(TrustChange.Slow);
                }

                return true;
            }
        }
        finally
        {
            times?.End(begun, Stopwatch.GetElapsedTime(start).TotalSeconds);
        }

        slot.GiveBack(context);
        return true;
    }

    private static Task Call<TState>(Func<TState, Task> function, TState state) =>
        function(state) ?? throw new InvalidOperationException("The function returned null instead of a task.");

    /// <summary>Runs the continuation of an await of a guest.</summary>
    public static void RunCallback(GuestContext context, SendOrPostCallback callback, object? state)
    {
        using Stay stay = new(GuestSlot.Current, context.Guests, context);
        callback(state);
    }

    /// <summary>
    /// Called when a guest is about to wait. A short wait, while few guests wait, costs nothing: the watch sees the guests that wait for long.
    /// </summary>
    /// <returns>Whether the wait counts, until <see cref="LeaveWait"/>: guests of a class that waits briefly are no crowd.</returns>
    public bool EnterWait()
    {
        if (WaitsBriefly)
        {
            return false;
        }

        _looks.LookAgain(Requests);

        // Pairs with itself and with LeaveWait: of several guests that begin to wait, one sees that they are a crowd.
        int waiting = Interlocked.Increment(ref s_waiting);
        if (GuestAgeRule.IsCrowd(waiting, Environment.ProcessorCount) && IsGuest && MeetsTooManyCrowds())
        {
            TakeIn(TrustChange.Crowds);
        }

        return true;
    }

    /// <summary>
    /// Called when guests sleep for long and cost no trust: by the watch, in each of its turns meanwhile. Requests run on workers until the guests go on and
    /// these requests are brief.
    /// </summary>
    public void HoldUp() => _brief.HoldUp();

    /// <summary>Called when a guest has called an <c>async void</c> method.</summary>
    public void LookAlways() => _looks.LookAlways();

    private bool MeetsTooManyCrowds()
    {
        // No thread waits for the lock: the runtime would report that wait, too, and come back here inside it, again and again.
        if (!_deciding.TryEnter())
        {
            return false;
        }

        try
        {
            return _rule.ObserveCrowd(Requests);
        }
        finally
        {
            _deciding.Exit();
        }
    }

    /// <summary>Called when the guest goes on.</summary>
    public static void LeaveWait() => Interlocked.Decrement(ref s_waiting);

    /// <summary>Does what is wanted about the wait that the caller is in.</summary>
    /// <exception cref="BlockingNotAllowedException">The class wants the exception, and this wait may throw.</exception>
    public void Object(BlockingAction wanted) => Findings.Object(Owner.Pool.Set, wanted, WaitStack.Look(), Owner.Name);

    /// <summary>Ends the trust in the class. Any thread.</summary>
    /// <param name="change">Why.</param>
    public void TakeIn(TrustChange change)
    {
        string reason = change.Reason();
        lock (_deciding)
        {
            if (!_rule.TakeIn(Now()))
            {
                return;
            }

            Owner.Core.Runs = new();
            _last = Count();
            Volatile.Write(ref _reason, reason);
            Volatile.Write(ref _isGuest, false);
            _brief.Restart(_last, WaitsBriefly);
            Volatile.Write(ref _waitsBriefly, false);

            // Under the lock, as the report in Begin: decisions are reported in the order in which they were made.
            GuestWatch.Process.Tell(this, change, reason);
        }
    }

    private static TimeSpan Now() => Stopwatch.GetElapsedTime(0);

    // At most a hundred times per second, by one of the requests that come. Pairs with itself: of several at the same moment one looks.
    private bool Earns()
    {
        long now = Stopwatch.GetTimestamp();
        long lookAt = Volatile.Read(ref _lookAt);
        if (now < lookAt || Interlocked.CompareExchange(ref _lookAt, now + s_lookEvery, lookAt) != lookAt)
        {
            return false;
        }

        bool earns;
        bool waits;
        lock (_deciding)
        {
            GuestCounts counts = Count();
            double mean = counts.MeanSince(_last);
            waits = counts.Waits != _last.Waits;
            earns = RuntimeMinimum.Process.MayRaise && _rule.Observe(Now(), counts.Completed - _last.Completed, counts.Waits - _last.Waits, mean)
                && Begin($"its requests did not wait, and ran for {mean * 1e6:F0} us on average", waitsBriefly: false);
            _last = double.IsNaN(mean) ? _last with { Completed = counts.Completed, Waits = counts.Waits } : counts;
        }

        if (waits && !earns)
        {
            Owner.Pool.BriefWaits.LookIfDue();
        }

        return earns;
    }

    /// <summary>Looks whether the class's requests wait briefly. One thread at a time.</summary>
    /// <returns>The requests since the last look that do, and how long they ran, waits included, in seconds; NaN when not known.</returns>
    public (long Requests, double Seconds) LookForBriefWaits()
    {
        lock (_deciding)
        {
            bool mayBegin = !IsGuest && !Owner.Pool.HasBoundedThreads && !Owner.SaysWhereItRuns;
            long requests = _brief.Look(Count(), WaitsBriefly, mayBegin, Owner.Core.TaskWaitShare);
            return (requests, requests > 0 ? requests * _brief.UsualMean : 0);
        }
    }

    /// <summary>Begins or ends with guests that wait, after <see cref="LookForBriefWaits"/>.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="look">The look.</param>
    public void DecideBriefWaits(TimeSpan now, in BriefLook look)
    {
        lock (_deciding)
        {
            if (WaitsBriefly)
            {
                if ((Owner.Pool.HasBoundedThreads ? TrustChange.Bounded : _brief.Judge(look)) is { } change)
                {
                    TakeIn(change);
                }
            }
            else if (_rule.ObserveBrief(now, double.IsNaN(look.Idle) ? null : _brief.IsCostly(look) && RuntimeMinimum.Process.MayRaise))
            {
                string where = BriefWaitRule.AreFew(look) ? "few at once on an idle machine" : "on a full machine with hardly any others";
                _ = Begin($"its requests ran for {_brief.Mean * 1e6:F0} us on average, waits included, {where}", waitsBriefly: true);
            }
        }
    }

    // Called under the lock, when the rule trusts the class.
    private bool Begin(string reason, bool waitsBriefly)
    {
        if (!GuestWatch.Process.TryBegin())
        {
            // Trust that cannot be watched is lost: a guest that blocks would hold a thread of the server for any length of time.
            _rule.TakeIn(Now());
            return false;
        }

        Owner.Core.Runs = waitsBriefly ? new() : null;
        _brief.Restart(Count(), waitsBriefly);
        _looks.LookAgain(Requests);
        Volatile.Write(ref _reason, reason);
        Volatile.Write(ref _waitsBriefly, waitsBriefly);
        Volatile.Write(ref _isGuest, true);
        GuestWatch.Process.Tell(this, TrustChange.Earned, reason);
        return true;
    }

    private bool MayWait()
    {
        Owner.Pool.BriefWaits.LookIfDue();
        return !_brief.IsHeldUp;
    }

    private GuestCounts Count()
    {
        ClassCore core = Owner.Core;
        (long timed, double seconds) = core.Runs?.Total ?? (0, 0);
        return new(core.Completed, core.Waits, timed, seconds, Requests);
    }

    /// <summary>A guest on the calling thread. Its slot knows the guest, and its context, if it has one, is current until the end.</summary>
    private readonly ref struct Stay
    {
        private readonly GuestSlot _slot;
        private readonly object? _outer;
        private readonly int _scopes;
        private readonly UnderContext _under;

        /// <param name="slot">The slot of the thread.</param>
        /// <param name="guests">The class of the guest.</param>
        /// <param name="context">The context of the guest; null where the guest is not looked at.</param>
        public Stay(GuestSlot slot, GuestClass guests, GuestContext? context)
        {
            _slot = slot;
            _scopes = slot.EnterScopes();
            _outer = slot.Enter(guests);
            GuestWatch.Process.WakeUp();
            _under = new UnderContext(context);
        }

        public void Dispose()
        {
            _under.Dispose();
            _slot.LeaveScopes(_scopes);
            _slot.Leave(_outer);
        }
    }

    /// <summary>
    /// What the server does after a request has ended is no part of the guest in which the request ended: the server may begin other requests, one after the
    /// other. Runs under no context of the pool.
    /// </summary>
    public readonly ref struct Outside
    {
        private readonly GuestSlot? _slot;
        private readonly GuestClass _guests;
        private readonly UnderContext _under;

        /// <param name="slot">The slot of the thread.</param>
        /// <param name="guests">The class of the guest under whose context the caller runs.</param>
        public Outside(GuestSlot slot, GuestClass guests)
        {
            _guests = guests;
            if (slot.IsOne)
            {
                // The time of a guest inside another one counts for the other, whatever it does.
                _slot = slot;
                slot.Leave(outer: null);
            }

            _under = new UnderContext(null);
        }

        public void Dispose()
        {
            _under.Dispose();
            if (_slot is not null)
            {
                _ = _slot.Enter(_guests);
                GuestWatch.Process.WakeUp();
            }
        }
    }
}
