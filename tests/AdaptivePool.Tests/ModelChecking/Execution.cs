using AdaptivePool.Workers;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>One run of a program: who moves when. Execution.Memory says what they see, Execution.State what two runs have in common.</summary>
/// <remarks>
/// Real threads carry the virtual ones and hand over a baton, so exactly one moves. Before each call of the shim the strategy may give the baton to another. Memory is found by its address, which a garbage collection
/// changes: a run in which one happened is void and is repeated.
/// </remarks>
internal sealed partial class Execution(VirtualThread[] crew, IStrategy strategy, Mutation? mutation, int maxSteps)
{
    private readonly Parking _ended = Parking.Create();
    private readonly VirtualThread _setup = new(-1);
    private readonly List<Deviation> _deviations = [];
    private ModelProgram _program = null!;
    private int _threads;
    private int _step;
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

    /// <summary>Gets the call sites that were met, if set.</summary>
    public HashSet<Site>? Sites { get; set; }

    /// <summary>Runs a program once.</summary>
    public void Run(Func<ModelProgram> create)
    {
        ForgetMemory();
        _deviations.Clear();
        _step = 0;
        _running = null;
        Failure = null;
        IsOver = false;
        _isDismissed = false;
        Trace?.Clear();
        int collections = GC.CollectionCount(0);
        try
        {
            strategy.Begin(this);
            Prepare(create);
            VirtualThread first = Choose(null)!;
            _running = first;
            first.Resume();
            _ended.Park();
            if (!IsOver)
            {
                _program.Check();
            }
        }
        catch (Exception exception)
        {
            Failure ??= exception;
        }

        IsVoid = GC.CollectionCount(0) != collections;
    }

    /// <summary>A choice point before an operation.</summary>
    public void Step(VirtualThread thread, in Site site)
    {
        Sites?.Add(site);
        if (ReferenceEquals(thread, _setup))
        {
            return;
        }

        if (thread.IsFresh || (strategy.IsCoarse && (site.IsPlain || (site.IsRead && !thread.HasWritten))))
        {
            thread.IsFresh = false;
            _step++;
        }
        else if (Choose(thread) is { } next && !ReferenceEquals(next, thread))
        {
            HandOver(thread, next);
        }

        if (_step > maxSteps)
        {
            Fail(new ModelFailureException($"No end after {maxSteps} steps."));
        }

        if (IsOver)
        {
            Unwind(thread);
        }

        _site = site;
        thread.HasWritten = !site.IsRead || (thread.HasWritten && site.IsPlain);
        thread.History = Mix(thread.History, (ulong)site.Line);
    }

    /// <summary>Lets a thread sleep or wait for a lock until its status says that it can go on.</summary>
    public void Block(VirtualThread thread)
    {
        if (Choose(null) is { } next)
        {
            HandOver(thread, next);
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
            next = Array.Find(crew, t => t.Id < _threads && t.Status != ThreadStatus.Ended);
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
        VirtualThread.Current = _setup;
        try
        {
            _program = create();
        }
        finally
        {
            VirtualThread.Current = null;
        }

        Fence(_setup);
        _threads = _program.Threads.Length;
        for (int i = 0; i < _threads; i++)
        {
            crew[i].Prepare(this, _program.Threads[i], _setup.Seen);
        }
    }

    private VirtualThread? Choose(VirtualThread? current)
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
            if (!ReferenceEquals(crew[i], current) && CanGoOn(crew[i]))
            {
                candidates[count++] = i;
            }
        }

        if (count == 0)
        {
            return null;
        }

        int chosen = count == 1 ? 0 : strategy.ChooseThread(candidates[..count], isPreemption: current is not null);
        if (chosen != 0)
        {
            _deviations.Add(new Deviation(_step, IsSwitch: true, candidates[chosen]));
        }

        return crew[candidates[chosen]];
    }

    private int ChooseAge(int options)
    {
        int age = options == 1 ? 0 : strategy.ChooseAge(options);
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
            Fail(exception);
        }

        dismiss();
        _isDismissed = true;
        VirtualThread.Current = caller;
    }

    private static bool CanGoOn(VirtualThread thread) =>
        thread.Status == ThreadStatus.Ready || (thread.Status == ThreadStatus.Entering && thread.BlockedOn!.Owner is null);

    private static void Unwind(VirtualThread thread)
    {
        thread.IsUnwinding = true;
        throw new AbandonedException();
    }
}
