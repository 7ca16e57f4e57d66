using System.Numerics;
using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>A binary tree of Tasks.</summary>
public class ForkJoinTaskBenchmarks : DispatchBenchmarkBase
{
    private static readonly int s_depth = BitOperations.Log2(Items) - 1;
    private static readonly Action<object?> s_run = static node => ((Node)node!).Run();

    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void Runtime() => Grow(Task.Factory);

    /// <summary>Our pool.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void Adaptive() => Grow(Pool.Factory);

    private static void Grow(TaskFactory factory)
    {
        using ManualResetEventSlim done = new();
        factory.StartNew(s_run, new Node(factory, null, s_depth, done));
        done.Wait();
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
