using System.Numerics;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>A binary tree: every inner node queues two work items locally; the last leaf of a node ends it.</summary>
public sealed class ForkJoinCase : DispatchCase
{
    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        using ManualResetEventSlim done = new();
        int depth = BitOperations.Log2((uint)items) - 1;
        pool.Queue(new Node(pool, null, depth, done), preferLocal: false);
        WaitFor(done);
        return (2 << depth) - 1;
    }

    private sealed class Node(ComparedPool pool, Node? parent, int depth, ManualResetEventSlim done) : IThreadPoolWorkItem
    {
        private readonly Node? _parent = parent;
        private readonly ManualResetEventSlim _done = done;
        private int _children = 2;

        public void Execute()
        {
            if (depth > 0)
            {
                pool.Queue(new Node(pool, this, depth - 1, _done), preferLocal: true);
                pool.Queue(new Node(pool, this, depth - 1, _done), preferLocal: true);
                return;
            }

            Node? ended = _parent;
            while (ended is not null && Interlocked.Decrement(ref ended._children) == 0)
            {
                ended = ended._parent;
                if (ended is null)
                {
                    _done.Set();
                }
            }
        }
    }
}
