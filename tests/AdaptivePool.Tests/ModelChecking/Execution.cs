using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>
/// One run of a program: who moves when. Execution.Turns says who gets a turn of right, Execution.Memory what they see, Execution.State what two runs have in
/// common.
/// </summary>
/// <remarks>
/// Real threads carry the virtual ones and hand over a baton, so exactly one moves. Before each call of the shim the strategy may give the baton to another.
/// Memory is found by its address, which a garbage collection changes: a run in which one happened is void and is repeated.
/// </remarks>
internal sealed partial class Execution(VirtualThread[] virtualThreads, IStrategy strategy, Mutation? mutation, int maxSteps)
{
    private readonly Parking _ended = new WordParking<RealSync>();
    private readonly VirtualThread _setup = new(-1);
    private readonly List<Deviation> _deviations = [];
    private readonly List<Action> _started = [];
    private ModelProgram _program = null!;
    private int _threads;
    private int _step;
    private int _collections;
    private Site _site;
    private VirtualThread? _running;
    private bool _isDismissed;

    /// <summary>Whether the threads only unwind.</summary>
    public bool IsOver { get; private set; }

    /// <summary>What went wrong first.</summary>
    public Exception? Failure { get; private set; }

    public int CurrentStep => _step;

    public Schedule Schedule => new([.. _deviations]);

    /// <summary>Whether a garbage collection made the run worthless.</summary>
    public bool IsVoid { get; private set; }

    /// <summary>Gets each step in words, if set.</summary>
    public List<string>? Trace { get; set; }

    /// <summary>Told each operation before it is made, if set: by which thread, and where.</summary>
    public Action<int, Site>? Stepped { get; set; }

    /// <summary>Gets the call sites that were met, if set.</summary>
    public HashSet<Site>? Sites { get; set; }

    /// <summary>Entries of the threads of this run, who may owe wakes. What prepares a program owes nothing when the threads begin.</summary>
    public WakeDebt[] Debts => [.. virtualThreads.AsSpan(0, _threads).ToArray().Select(static t => t.Debt)];

    /// <summary>Runs a program once.</summary>
    public void Run(Func<ModelProgram> create)
    {
        ForgetMemory();
        _deviations.Clear();
        _started.Clear();
        _threads = 0;
        _step = 0;
        _running = null;
        Failure = null;
        IsOver = false;
        IsImpossible = false;
        _isDismissed = false;
        _isSettling = false;
        (Accessed, Stepped) = (null, null);
        Trace?.Clear();
        _collections = GC.CollectionCount(0);
        try
        {
            strategy.Begin(this);
            Prepare(create);
            if (!IsOver)
            {
                RunUntilRest(Choose(null)!);
            }

            IsImpossible |= IsSomethingForeseen;
            if (!IsOver && !IsImpossible)
            {
                _program.Check();
            }
        }
        catch (Exception exception)
        {
            Failure ??= exception;
            if (Array.Find(virtualThreads, t => t.Id < _threads && t.Status != ThreadStatus.Ended) is { } sleeper)
            {
                IsOver = true;
                RunUntilRest(sleeper);
            }
        }

        if (IsImpossible)
        {
            Failure = null;
        }

        IsVoid = HasMoved;
        Pupil?.EndRun();
    }

    /// <summary>A choice point before an operation.</summary>
    public void Step(VirtualThread thread, in Site site)
    {
        Sites?.Add(site);
        if (ReferenceEquals(thread, _setup))
        {
            return;
        }

        bool isQuiet = site.IsPlain || (site.IsRead && !thread.HasWritten);
        if (thread.IsFresh || (strategy.IsCoarse && isQuiet))
        {
            thread.IsFresh = false;
            _step++;
        }
        else if (Choose(thread, mustBeFair: !isQuiet) is { } next && !ReferenceEquals(next, thread))
        {
            HandOver(thread, next);
        }

        if (HasMoved)
        {
            // Locations may be those of other fields now: nothing that follows means anything, not even that it ends.
            IsOver = true;
        }
        else if (_step > Math.Max(maxSteps, _program.MaxSteps))
        {
            Fail(new ModelFailureException($"No end after {Math.Max(maxSteps, _program.MaxSteps)} steps."));
        }

        if (IsOver)
        {
            Unwind(thread);
        }

        Stepped?.Invoke(thread.Id, site);
        _site = site;
        thread.LastStep = _step;
        thread.HasWritten = !site.IsRead || (thread.HasWritten && site.IsPlain);
        thread.History = Mix(thread.History, (ulong)site.Line);
    }

    /// <summary>Starts a thread of the program.</summary>
    public void Start(VirtualThread parent, Action body)
    {
        if (ReferenceEquals(parent, _setup))
        {
            _started.Add(body);
        }
        else
        {
            Add(body, parent);
        }
    }

    /// <summary>Lets a thread sleep or wait for a lock until its status says that it can go on.</summary>
    public void Block(VirtualThread thread)
    {
        if (Choose(null) is { } next)
        {
            HandOver(thread, next);
            thread.IsFresh = !IsOver;
        }
        else if (_isSettling)
        {
            _ended.Unpark();
            thread.Pause();
            thread.IsFresh = !IsOver;
        }
        else
        {
            Rest();
        }

        if (_isDismissed)
        {
            thread.IsUnwinding = true;
        }
        else if (IsOver)
        {
            Unwind(thread);
        }
    }

    public void Fail(Exception failure)
    {
        // What follows from something foreseen counts only if that came.
        IsImpossible |= IsSomethingForeseen;
        Failure ??= failure;
        IsOver = true;
    }

    /// <summary>Called on a carrier when its virtual thread has ended or has been unwound.</summary>
    public void OnEnd(VirtualThread thread)
    {
        thread.Status = ThreadStatus.Ended;
        VirtualThread? next = IsOver ? null : Choose(null);
        if (next is null)
        {
            next = _isSettling && !IsOver ? null : Array.Find(virtualThreads, t => t.Id < _threads && t.Status != ThreadStatus.Ended);
            if (next is not null)
            {
                Rest();
            }
        }

        if (next is null)
        {
            _ended.Unpark();
        }
        else
        {
            _running = next;
            next.Resume();
        }
    }

    private void Prepare(Func<ModelProgram> create)
    {
        _setup.Prepare(this, null, new View());
        PrepareAs(() => _program = create());
        Fence(_setup);

        // Those that the preparation started come first: without a preemption they have gone to sleep when the others begin.
        foreach (Action body in _started)
        {
            Add(body, _setup);
        }

        if (_program.OnRest is { } onRest)
        {
            Settle(onRest);
        }

        foreach (Action body in _program.Threads)
        {
            Add(body, _setup);
        }
    }

    private void PrepareAs(Action preparation)
    {
        VirtualThread.Current = _setup;
        try
        {
            preparation();
        }
        finally
        {
            VirtualThread.Current = null;
        }
    }

    private void Add(Action body, VirtualThread parent)
    {
        if (_threads == virtualThreads.Length)
        {
            throw new InvalidOperationException($"A program has {virtualThreads.Length} threads at most.");
        }

        virtualThreads[_threads++].Prepare(this, body, parent.Seen);
    }

    // A strategy that is not coarse replays what a coarse one found: both are fair at the same steps.
    private VirtualThread? Choose(VirtualThread? current, bool mustBeFair = false)
    {
        _step++;
        Span<int> candidates = stackalloc int[_threads];
        int count = 0;
        if (current is not null)
        {
            candidates[count++] = current.Id;
        }

        for (int i = 0; i < _threads; i++)
        {
            if (!ReferenceEquals(virtualThreads[i], current) && CanGoOn(virtualThreads[i]))
            {
                candidates[count++] = i;
            }
        }

        if (count == 0)
        {
            VirtualThread? resting = Array.Find(virtualThreads, t => t.Id < _threads && t.Status == ThreadStatus.Resting);
            resting?.Status = ThreadStatus.Ready;
            return resting;
        }

        if (_isSettling)
        {
            return virtualThreads[candidates[0]];
        }

        if ((current is null || mustBeFair) && PassedOver(candidates[..count], current) is { } passedOver)
        {
            return passedOver;
        }

        int chosen = count == 1 ? 0 : strategy.ChooseThread(candidates[..count], isPreemption: current is not null);
        if (chosen != 0)
        {
            _deviations.Add(new Deviation(_step, IsSwitch: true, candidates[chosen]));
        }

        return virtualThreads[candidates[chosen]];
    }

    private int ChooseAge(int options)
    {
        int age = options == 1 || _isSettling ? 0 : strategy.ChooseAge(options);
        if (age != 0)
        {
            _deviations.Add(new Deviation(_step, IsSwitch: false, age));
        }

        return age;
    }

    private void HandOver(VirtualThread from, VirtualThread to)
    {
        _running = to;
        to.Resume();
        from.Pause();
    }

    // Nobody can go on, but not all have ended.
    private void Rest()
    {
        if (IsOver)
        {
            return;
        }

        IsOver = true;
        if (HasMoved)
        {
            return;
        }

        if (IsSomethingForeseen)
        {
            // Cannot be; the sleepers unwind.
            IsImpossible = true;
            return;
        }

        if (_program.Dismiss is not { } dismiss)
        {
            Fail(new ModelFailureException("Everybody sleeps: a wake is lost."));
            return;
        }

        // Unwinding by an exception costs more than the whole run.
        VirtualThread? caller = VirtualThread.Current;
        VirtualThread.Current = null;
        try
        {
            _program.Check();
        }
        catch (Exception exception)
        {
            // Those who sleep may wait for what never comes: they are unwound.
            Fail(exception);
            VirtualThread.Current = caller;
            return;
        }

        dismiss();
        _isDismissed = true;
        VirtualThread.Current = caller;
    }

    /// <summary>Whether a garbage collection has moved the memory of this run.</summary>
    private bool HasMoved => GC.CollectionCount(0) != _collections;

    private static bool CanGoOn(VirtualThread thread) =>
        thread.Status == ThreadStatus.Ready || (thread.Status == ThreadStatus.Entering && thread.BlockedOn!.Owner is null);

    private static void Unwind(VirtualThread thread)
    {
        thread.IsUnwinding = true;
        throw new AbandonedException();
    }
}
