using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Dispatch.Queues;

/// <summary>
/// Root work with a route: a FIFO queue for each group of threads. A worker looks into the queue of its own group first, then into the others, so that no
/// group's backlog waits while a worker has nothing to do. One look in eight begins with another group's queue, so that none waits forever behind a group that
/// always has work.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class RoutedLanes<TSync>
    where TSync : struct, ISync
{
    /// <summary>One in this many looks of a worker begins with another group.</summary>
    public const int OthersEvery = 8;

    private readonly SyncLock<TSync> _growing = new();
    private Lane[] _lanes = [];

    /// <summary>Whether nothing waits; a hint when others enqueue.</summary>
    public bool IsEmpty => !Array.Exists(Lanes, static lane => !TSync.IsEmpty(lane.Items));

    /// <summary>Items waiting; a hint when others enqueue.</summary>
    public int Count
    {
        get
        {
            // The sizing thread reads this at each look, so it takes no memory.
            int count = 0;
            foreach (Lane lane in Lanes)
            {
                count += TSync.Count(lane.Items);
            }

            return count;
        }
    }

    /// <summary>The items waiting at this moment, with their groups.</summary>
    public IEnumerable<(int Group, object Item)> Items => Lanes.SelectMany(static (lane, group) => lane.Items.Select(item => (group, item)));

    /// <summary>The queues of the groups.</summary>
    public IEnumerable<ConcurrentQueue<object>> Queues => Lanes.Select(static lane => lane.Items);

    // Relaxed: what is read through a reference comes after the reference. A lane that is not seen yet is one that this thread was not told of.
    private Lane[] Lanes => TSync.RelaxedRead(ref _lanes);

    /// <summary>Items that wait for one group; a hint when others enqueue.</summary>
    public int CountOf(int group) => Lanes is var lanes && group < lanes.Length ? TSync.Count(lanes[group].Items) : 0;

    public void Enqueue(int group, object item)
    {
        Lane[] lanes = Lanes;
        TSync.Enqueue((group < lanes.Length ? lanes : Grow(group + 1))[group].Items, item);
    }

    /// <summary>
    /// Numbers the looks of a group's workers. The number belongs to the lane and not to the worker: a worker that looks here only now and then, and always
    /// after the same number of other looks, would always have the same turn.
    /// </summary>
    /// <param name="group">The group of the caller.</param>
    public uint NextTurn(int group)
    {
        Lane[] lanes = Lanes;

        // Atomic: of several looks each has a turn of its own, so that none is skipped. Orders nothing.
        return lanes.Length == 0 ? 0 : unchecked((uint)TSync.RelaxedIncrement(ref lanes[group % lanes.Length].Turn));
    }

    /// <summary>Takes the next item.</summary>
    /// <param name="group">The group of the caller.</param>
    /// <param name="turn">The number of this look.</param>
    /// <param name="item">What was taken.</param>
    /// <param name="isBorrowed">Whether it belongs to another group.</param>
    public bool TryDequeue(int group, uint turn, [MaybeNullWhen(false)] out object item, out bool isBorrowed)
    {
        Lane[] lanes = Lanes;
        uint first = turn % OthersEvery == 0 ? turn / OthersEvery : (uint)group;
        for (uint i = 0; i < lanes.Length; i++)
        {
            uint lane = (first + i) % (uint)lanes.Length;
            if (TSync.TryDequeue(lanes[lane].Items, out item))
            {
                isBorrowed = lane != group;
                return true;
            }
        }

        item = null;
        isBorrowed = false;
        return false;
    }

    // Never fewer: a group that no longer exists keeps its lane until it is empty, and no thread knows when the last enqueuer has passed.
    private Lane[] Grow(int count)
    {
        using SyncLock<TSync>.Holder held = _growing.Hold();
        Lane[] lanes = Lanes;
        if (lanes.Length < count)
        {
            lanes = [.. lanes, .. Enumerable.Range(lanes.Length, count - lanes.Length).Select(static _ => new Lane())];
            TSync.RelaxedWrite(ref _lanes, lanes);
        }

        return lanes;
    }

    private sealed class Lane
    {
        private int _turn;

        public ConcurrentQueue<object> Items { get; } = new();

        public ref int Turn => ref _turn;
    }
}
