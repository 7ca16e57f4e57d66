using AdaptivePool.Dispatch;
using AdaptivePool.Runtime;
using AdaptivePool.Stacks;

namespace AdaptivePool.Guests;

/// <summary>The requests of one class that run where the server put them: lets them in and counts them, and takes the class in when one waits.</summary>
internal sealed class GuestClass
{
    /// <summary>One guest in so many of a class that waits briefly is timed: two system calls before it, and two after.</summary>
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

    /// <summary>Why it is so; empty before the first decision.</summary>
    public string Reason => Volatile.Read(ref _reason);

    /// <summary>Requests that began where the server put them.</summary>
    public long Requests => _requests.Value;

    /// <summary>Runs a request on the calling thread, if the class is trusted and the thread is one of the runtime's pool.</summary>
    /// <param name="function">Begins the request.</param>
    /// <param name="state">What to give it.</param>
    /// <param name="task">The request: ends as what the function returned.</param>
    public bool TryRun<TState>(Func<TState, Task> function, TState state, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Task? task)
    {
        // Where sockets complete inline the server calls on the thread that reads all of them: no thread that is lent helps while a guest waits there.
        if (!Thread.CurrentThread.IsThreadPoolThread || !(IsGuest ? !WaitsBriefly || MayWait() : Earns()))
        {
            task = null;
            return false;
        }

        long number = _requests.Increment(Environment.CurrentManagedThreadId);
        GuestSlot slot = GuestSlot.Current;

        // Only a context tells of waits, where somebody wants to know of them wherever the flow of execution goes; and that of a guest around this one would
        // take its awaits for its own.
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
                    // What follows its awaits nobody times.
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

    /// <summary>Runs what follows an await of a guest.</summary>
    public static void RunCallback(GuestContext context, SendOrPostCallback callback, object? state)
    {
        using Stay stay = new(GuestSlot.Current, context.Guests, context);
        callback(state);
    }

    /// <summary>
    /// A guest is about to wait. One that waits for a short time, while few do, costs nobody anything: the watch sees those that wait for long.
    /// </summary>
    /// <returns>Whether it counts, until <see cref="LeaveWait"/>: those of a class that waits briefly are no crowd.</returns>
    public bool EnterWait()
    {
        if (WaitsBriefly)
        {
            return false;
        }

        _looks.LookAgain(Requests);

        // Pairs with itself and with LeaveWait: of several that begin to wait, one sees that they are a crowd.
        int waiting = Interlocked.Increment(ref s_waiting);
        if (GuestAgeRule.IsCrowd(waiting, Environment.ProcessorCount) && IsGuest && MeetsTooManyCrowds())
        {
            TakeIn(TrustChange.Crowds);
        }

        return true;
    }

    /// <summary>
    /// Guests sleep for long, and cost no trust. Requests run on workers until they go on and these are brief. The watch, in each of its turns meanwhile.
    /// </summary>
    public void HoldUp() => _brief.HoldUp();

    /// <summary>A guest has called an <c>async void</c> method.</summary>
    public void LookAlways() => _looks.LookAlways();

    private bool MeetsTooManyCrowds()
    {
        // Never waited for: the runtime would tell of that wait, too, and come back here inside it, again and again.
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

    /// <summary>It goes on.</summary>
    public static void LeaveWait() => Interlocked.Decrement(ref s_waiting);

    /// <summary>Does what is wanted about the wait that the caller stands in.</summary>
    /// <exception cref="BlockingNotAllowedException">It is to be thrown, and here it may be.</exception>
    public void Object(BlockingAction wanted) => Findings.Object(Owner.Pool.Set, wanted, WaitStack.Look(), Owner.Name);

    /// <summary>Trust is lost. Any thread.</summary>
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

            // Under the lock, as that of Begin: what was decided first is told first.
            GuestWatch.Process.Tell(this, change, reason);
        }
    }

    private static TimeSpan Now() => Stopwatch.GetElapsedTime(0);

    // At most a hundred times per second, by one of those that come. Pairs with itself: of several at the same moment one looks.
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
    /// <returns>Those since the last look that do, and how long they ran, waits included, in seconds; NaN when not known.</returns>
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

    // Under the lock, when the rule trusts the class.
    private bool Begin(string reason, bool waitsBriefly)
    {
        if (!GuestWatch.Process.TryBegin())
        {
            // Trust that nobody can watch is lost: one that blocks would hold a thread of the server for as long as it likes.
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

    /// <summary>A guest on the calling thread: its slot says so, and its context, if it has one, is current until the end.</summary>
    private readonly ref struct Stay
    {
        private readonly GuestSlot _slot;
        private readonly object? _outer;
        private readonly int _scopes;
        private readonly UnderContext _under;

        /// <param name="slot">The thread's.</param>
        /// <param name="guests">Whose guest it is.</param>
        /// <param name="context">What it runs under; null where it is not looked at.</param>
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
    /// What the server does where a request has ended is no part of the guest in which it has: it may begin others, one after the other. Under no context of
    /// ours.
    /// </summary>
    public readonly ref struct Outside
    {
        private readonly GuestSlot? _slot;
        private readonly GuestClass _guests;
        private readonly UnderContext _under;

        /// <param name="slot">The thread's.</param>
        /// <param name="guests">Whose guest it is, under whose context the caller runs.</param>
        public Outside(GuestSlot slot, GuestClass guests)
        {
            _guests = guests;
            if (slot.IsOne)
            {
                // One inside of another one is the time of that, whatever it does.
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
