using System.Numerics;
using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>A binary tree of work items queued locally.</summary>
public class ForkJoinItemBenchmarks : DispatchBenchmarkBase
{
    private static readonly int s_depth = BitOperations.Log2(Items) - 1;

    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void Runtime()
    {
        using ManualResetEventSlim done = new();
        ThreadPool.UnsafeQueueUserWorkItem(new Node(null, null, s_depth, done), preferLocal: false);
        done.Wait();
    }

    /// <summary>Our pool.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void Adaptive()
    {
        using ManualResetEventSlim done = new();
        Pool.UnsafeQueueUserWorkItem(new Node(Pool, null, s_depth, done), preferLocal: false);
        done.Wait();
    }

    private sealed class Node(AdaptiveThreadPool? pool, Node? parent, int depth, ManualResetEventSlim done) : IThreadPoolWorkItem
    {
        private readonly Node? _parent = parent;
        private readonly ManualResetEventSlim _done = done;
        private int _children = 2;

        public void Execute()
        {
            if (depth > 0)
            {
                Queue(new Node(pool, this, depth - 1, _done));
                Queue(new Node(pool, this, depth - 1, _done));
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

        private void Queue(Node child)
        {
            if (pool is null)
            {
                ThreadPool.UnsafeQueueUserWorkItem(child, preferLocal: true);
            }
            else
            {
                pool.UnsafeQueueUserWorkItem(child, preferLocal: true);
            }
        }
    }
}
