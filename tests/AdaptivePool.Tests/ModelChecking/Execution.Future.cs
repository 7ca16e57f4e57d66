namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Stores that become visible before an earlier load of the same thread, as on ARM64: the load is answered with a write that another thread makes
/// later.</summary>
/// <remarks>
/// Only loads that are no acquire, one at a time per thread. Until the write is made the thread may read and write other locations, but neither release nor
/// fence, which would have waited for the load; a run in which the write does not come in time cannot be, and counts for nothing. Nothing is asked of how the
/// stores depend on the load, so this is weaker than any machine: what holds here holds there.
/// </remarks>
internal sealed partial class Execution
{
    /// <summary>Learns from the run, if set.</summary>
    public Prophecies? Pupil { get; set; }

    /// <summary>What loads may foresee, if set.</summary>
    public Prophecies? Prophecies { get; set; }

    /// <summary>Whether the run foresaw what did not come.</summary>
    public bool IsImpossible { get; private set; }

    private bool IsSomethingForeseen => Array.Exists(virtualThreads, thread => thread.Id < _threads && thread.Foreseen is not null);

    private IReadOnlyList<Value> Future(VirtualThread thread) =>
        Prophecies is null || thread.Foreseen is not null || ReferenceEquals(thread, _setup) ? [] : Prophecies.At(_site);

    private Message Foresee(VirtualThread thread, Location location, Value value)
    {
        var message = new Message(value.Number, value.Reference, view: null, isUpdate: false);
        thread.Foreseen = new Foresight(location, value);
        thread.History = Mix(Mix(thread.History, (ulong)location.Id + 1_000), ValueOf(message));
        Trace?.Add($"{_step,4} thread {thread.Id} {_site} R location {location.Id} = {message.Reference ?? message.Number} (yet to be written)");
        return message;
    }

    private void Fulfil(VirtualThread writer, Location location, Message message)
    {
        for (int i = 0; i < _threads; i++)
        {
            VirtualThread thread = virtualThreads[i];
            if (thread.Foreseen is { } foreseen
                && !ReferenceEquals(thread, writer)
                && ReferenceEquals(foreseen.Location, location)
                && foreseen.Value == new Value(message.Number, message.Reference)
                && message.Index > thread.Seen.IndexOf(location.Id))
            {
                thread.Foreseen = null;
                thread.Seen.See(location, message);
                thread.Pending.Join(message.View);
            }
        }
    }

    // A thread sees one location's writes in their order.
    private void RequireKnown(VirtualThread thread, Location location)
    {
        if (thread.Foreseen is { } foreseen && ReferenceEquals(foreseen.Location, location))
        {
            RequireNothingForeseen(thread);
        }
    }

    private void RequireNothingForeseen(VirtualThread thread)
    {
        if (thread.Foreseen is not null)
        {
            IsImpossible = true;
            IsOver = true;
            Unwind(thread);
        }
    }
}
