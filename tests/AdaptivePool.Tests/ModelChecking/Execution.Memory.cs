namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What threads see.</summary>
/// <remarks>
/// Each location keeps all writes; a thread has seen some and may read any that is not older than those (a view machine: release/acquire with unordered
/// accesses and full fences, as the memory model of .NET promises). That contains all that a machine with a store buffer per thread can do (x64): a delayed
/// store is one that others do not see yet. It also contains what ARM64 does to reads and to the order of writes. Stores that become visible before an earlier
/// load of the same thread are in Execution.Future.
/// </remarks>
internal sealed partial class Execution
{
    private readonly Dictionary<nint, Location> _memory = [];

    /// <summary>Told each access, if set: by which thread, to which location, whether it writes.</summary>
    public Action<int, int, bool>? Accessed { get; set; }

    private readonly Dictionary<object, Location> _objects = new(ReferenceEqualityComparer.Instance);
    private readonly List<Location> _locations = [];
    private View _fences = new();

    public Location At(nint address, long number, object? reference)
    {
        if (!_memory.TryGetValue(address, out Location? location))
        {
            _memory.Add(address, location = Add(number, reference));
        }

        return location;
    }

    /// <summary>The location of a trusted object: a queue or a lock.</summary>
    public Location Of(object trusted, long number)
    {
        if (!_objects.TryGetValue(trusted, out Location? location))
        {
            _objects.Add(trusted, location = Add(number, null));
        }

        return location;
    }

    public Weakening? WeakeningOf(in Site site) => mutation is not null && mutation.Site.Line == site.Line && mutation.Site == site ? mutation.Weakening : null;

    public Message Load(VirtualThread thread, Location location, bool isAcquire)
    {
        RequireKnown(thread, location);
        Pupil?.Note(_site, location);
        int options = location.Count - thread.Seen.IndexOf(location.Id);
        IReadOnlyList<Value> future = isAcquire ? [] : Future(thread);
        int age = ReferenceEquals(thread, _setup) ? 0 : ChooseAge(options + future.Count);
        if (age >= options)
        {
            return Foresee(thread, location, future[age - options]);
        }

        return Observe(thread, location, location[location.Count - 1 - age], isAcquire);
    }

    /// <summary>Reads the newest write.</summary>
    public Message LoadNewest(VirtualThread thread, Location location, bool isAcquire) => Observe(thread, location, location.Last, isAcquire);

    /// <summary>Writes.</summary>
    /// <returns>Whether it is the newest write of its location.</returns>
    public bool Store(VirtualThread thread, Location location, long number, object? reference, bool isRelease)
    {
        RequireKnown(thread, location);
        if (isRelease)
        {
            RequireNothingForeseen(thread);
        }

        int place = location.Count;
        int options = 1;
        int oldest = thread.Seen.IndexOf(location.Id) + 1;

        // A write may come before writes that its thread has not seen, but not between an update and what that read.
        while (options <= place - oldest && !location[place - options].IsUpdate)
        {
            options++;
        }

        int age = ReferenceEquals(thread, _setup) ? 0 : ChooseAge(options);
        var message = new Message(number, reference, view: null, isUpdate: false);
        location.Insert(place - age, message);
        thread.Seen.See(location, message);
        Publish(thread, location, message, isRelease ? thread.Seen : thread.Fenced);
        Note(thread, location, message, 'W');
        Fulfil(thread, location, message);
        return age == 0;
    }

    /// <summary>Reads and writes in one step, if the newest value is the one that is compared with.</summary>
    /// <returns>What was read.</returns>
    public Message Update(VirtualThread thread, Location location, in Site site, UpdateRule rule, long number, object? reference, long expectedNumber = 0,
        object? expectedReference = null)
    {
        Weakening? weakening = WeakeningOf(site);
        bool isOrdered = weakening != Weakening.Unordered && !site.IsRelaxedUpdate;
        RequireKnown(thread, location);
        if (isOrdered)
        {
            RequireNothingForeseen(thread);
        }

        Message before = location.Last;
        if (rule == UpdateRule.SetIf && (before.Number != expectedNumber || !ReferenceEquals(before.Reference, expectedReference)))
        {
            // Without a write there is nothing that could be a full fence on every machine.
            return Observe(thread, location, before, isOrdered);
        }

        long written = rule == UpdateRule.Add ? before.Number + number : number;
        bool isFence = site.IsFullUpdate && (weakening is null or Weakening.Split);
        if (isFence)
        {
            Fence(thread);
        }

        Observe(thread, location, before, isOrdered);
        if (weakening == Weakening.Split)
        {
            Step(thread, site);
        }

        var message = new Message(written, reference, view: null, isUpdate: weakening != Weakening.Split);
        location.Insert(location.Count, message);
        thread.Seen.See(location, message);
        Publish(thread, location, message, isOrdered ? thread.Seen : thread.Fenced);
        if (!isOrdered)
        {
            message.View?.Join(before.View);
        }

        Note(thread, location, message, 'U');
        Fulfil(thread, location, message);
        if (isFence)
        {
            Fence(thread);
        }

        return before;
    }

    /// <summary>Changes a trusted object: acquires and releases.</summary>
    public void Change(VirtualThread thread, Location location, long number, object? reference)
    {
        RequireNothingForeseen(thread);
        Observe(thread, location, location.Last, isAcquire: true);
        var message = new Message(number, reference, view: null, isUpdate: true);
        location.Insert(location.Count, message);
        thread.Seen.See(location, message);
        Publish(thread, location, message, thread.Seen);
        Note(thread, location, message, 'U');
    }

    public void Fence(VirtualThread thread)
    {
        RequireNothingForeseen(thread);
        thread.Seen.Join(thread.Pending);
        thread.Seen.Join(_fences);
        _fences.Join(thread.Seen);
        thread.Fenced.Join(thread.Seen);
    }

    /// <summary>Sleeps until woken at the location.</summary>
    public void Sleep(VirtualThread thread, Location location)
    {
        RequireNothingForeseen(thread);
        // One of two: it sleeps, or it returns for no reason.
        if (ChooseAge(2) == 0)
        {
            Await(thread, location);
        }
    }

    /// <summary>Sleeps until woken at the location, and not for no reason.</summary>
    public void Await(VirtualThread thread, Location location)
    {
        RequireNothingForeseen(thread);
        thread.Status = ThreadStatus.Asleep;
        thread.BlockedOn = location;
        Block(thread);
    }

    /// <summary>Wakes one sleeper.</summary>
    public void WakeOne(Location location, ThreadStatus next)
    {
        foreach (VirtualThread sleeper in virtualThreads.AsSpan(0, _threads))
        {
            if (sleeper.Status == ThreadStatus.Asleep && ReferenceEquals(sleeper.BlockedOn, location))
            {
                sleeper.Status = next;
                sleeper.LastStep = _step;
                return;
            }
        }
    }

    private void Publish(VirtualThread thread, Location location, Message message, View view)
    {
        if (!strategy.IsSequential)
        {
            message.View = view.Copy();
            message.View.See(location, message);
        }

        thread.History = Mix(thread.History, (ulong)message.Index);
    }

    private Location Add(long number, object? reference)
    {
        var location = new Location(_locations.Count);
        location.Insert(0, new Message(number, reference, view: null, isUpdate: false));
        _locations.Add(location);
        return location;
    }

    private Message Observe(VirtualThread thread, Location location, Message message, bool isAcquire)
    {
        thread.Seen.See(location, message);
        (isAcquire ? thread.Seen : thread.Pending).Join(message.View);
        thread.History = Mix(Mix(thread.History, (ulong)location.Id), ValueOf(message));
        Note(thread, location, message, 'R');
        return message;
    }

    private void Note(VirtualThread thread, Location location, Message message, char what)
    {
        Accessed?.Invoke(thread.Id, location.Id, what != 'R');
        Trace?.Add($"{_step,4} thread {thread.Id} {_site} {what} location {location.Id} = {message.Reference ?? message.Number} (write {message.Index} of "
            + $"{location.Count})");
    }

    private void ForgetMemory()
    {
        _memory.Clear();
        _objects.Clear();
        _locations.Clear();
        _names.Clear();
        _fences = new View();
    }
}
