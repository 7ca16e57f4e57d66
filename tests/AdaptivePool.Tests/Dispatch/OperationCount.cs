using AdaptivePool.Tests.ModelChecking;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Counts what a run does to memory, and how often a word moves from one thread's cache to another's.</summary>
/// <remarks>
/// Each word stands for a cache line of its own: what is not padded shares lines in truth, and what is read only was read before. A read moves a word that
/// another thread has written since the last one here; a write moves one that anybody else has.
/// </remarks>
internal sealed class OperationCount
{
    private readonly Dictionary<int, HashSet<int>> _holders = [];
    private (int Thread, int Location)? _moved;

    /// <summary>Atomic updates: exchange, compare-exchange, add; the framework's queue makes one for each item put in and one for each taken out.</summary>
    public double Interlocked { get; private set; }

    public double Fences { get; private set; }

    /// <summary>How often a word moved.</summary>
    public double Moves { get; private set; }

    /// <summary>Counts the rest of the run that the caller belongs to.</summary>
    public void Begin()
    {
        Execution run = VirtualThread.Current!.Run;
        run.Stepped = (_, site) =>
        {
            Interlocked += site.Kind switch
            {
                OperationKind.Exchange or OperationKind.CompareExchange or OperationKind.Increment or OperationKind.Decrement or OperationKind.WriteAndFence
                    or OperationKind.OrderedExchange or OperationKind.OrderedCompareExchange or OperationKind.OrderedIncrement
                    or OperationKind.OrderedDecrement or OperationKind.RelaxedCompareExchange or OperationKind.RelaxedIncrement
                    or OperationKind.RelaxedDecrement or OperationKind.Add or OperationKind.Enqueue or OperationKind.Dequeue or OperationKind.Enter
                    or OperationKind.Exit => 1,
                _ => 0,
            };
            Fences += site.Kind == OperationKind.Fence ? 1 : 0;
        };
        run.Accessed = (thread, location, writes) =>
        {
            if (!_holders.TryGetValue(location, out HashSet<int>? holders))
            {
                _holders.Add(location, holders = [thread]);
            }

            // An update reads and writes in one: the word comes once.
            bool isHere = holders.Contains(thread) && (!writes || holders.Count == 1 || _moved == (thread, location));
            Moves += isHere ? 0 : 1;
            _moved = isHere ? default : (thread, location);
            if (writes)
            {
                holders.Clear();
            }

            holders.Add(thread);
        };
    }

    /// <summary>What each of some items more cost.</summary>
    public static OperationCount ForEach(OperationCount few, OperationCount many, int more) => new()
    {
        Interlocked = (many.Interlocked - few.Interlocked) / more,
        Fences = (many.Fences - few.Fences) / more,
        Moves = (many.Moves - few.Moves) / more,
    };

    /// <summary>The mean of several runs.</summary>
    public static OperationCount Mean(IReadOnlyList<OperationCount> runs) => new()
    {
        Interlocked = runs.Average(static r => r.Interlocked),
        Fences = runs.Average(static r => r.Fences),
        Moves = runs.Average(static r => r.Moves),
    };
}
