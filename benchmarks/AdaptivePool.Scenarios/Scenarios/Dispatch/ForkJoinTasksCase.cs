using System.Numerics;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>The tree of <see cref="ForkJoinCase"/> made of Tasks.</summary>
public sealed class ForkJoinTasksCase : DispatchCase
{
    private static readonly Action<object?> s_run = static node => ((Node)node!).Run();

    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        using ManualResetEventSlim done = new();
        int depth = BitOperations.Log2((uint)items) - 1;
        pool.Factory.StartNew(s_run, new Node(pool.Factory, null, depth, done));
        WaitFor(done);
        return (2 << depth) - 1;
    }

    private sealed class Node(TaskFactory factory, Node? parent, int depth, ManualResetEventSlim done)
    {
        private readonly Node? _parent = parent;
        private readonly ManualResetEventSlim _done = done;
        private int _children = 2;

        public void Run()
        {
            if (depth > 0)
            {
                factory.StartNew(s_run, new Node(factory, this, depth - 1, _done));
                factory.StartNew(s_run, new Node(factory, this, depth - 1, _done));
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
