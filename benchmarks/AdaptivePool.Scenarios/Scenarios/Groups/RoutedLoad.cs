using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Groups;

/// <summary>
/// Items with a route that queue themselves again and again, each time in the other one of two classes: in its own class an item would continue itself, and
/// have no route. A pool without routes gets the same items without.
/// </summary>
public sealed class RoutedLoad
{
    private const int Waiting = 64;
    private const double Milliseconds = 0.05;

    private readonly ChildContext _child;
    private readonly CpuBurner _burner;
    private readonly AdaptiveThreadPool? _pool;
    private readonly WorkClass[] _classes;
    private readonly LatencyHistogram _waits = new();
    private long _ended;
    private int _left = Waiting;
    private bool _isSkewed;
    private bool _ends;

    /// <summary>Starts the load.</summary>
    public RoutedLoad(ChildContext child)
    {
        _child = child;
        _burner = child.CreateBurner();
        _pool = (child.Pool as AdaptiveComparedPool)?.Pool;
        _classes = _pool is null ? [] : [_pool.GetClass("routed"), _pool.GetClass("routed too")];
        for (int i = 0; i < Waiting; i++)
        {
            var item = new Item(this, i);
            item.Queue();
        }
    }

    /// <summary>Measures for some time.</summary>
    /// <param name="groups">Groups of threads, where the pool has them.</param>
    /// <param name="isSkewed">Whether nine of ten items belong to the first group.</param>
    /// <param name="time">How long, after half a second of which nothing counts.</param>
    public RoutedRate Measure(int groups, bool isSkewed, TimeSpan time)
    {
        if (_pool is not null)
        {
            _pool.ThreadGroups = Math.Min(groups, 2 * Environment.ProcessorCount);
        }

        Volatile.Write(ref _isSkewed, isSkewed);
        Thread.Sleep(500);
        _waits.Clear();
        long before = Interlocked.Read(ref _ended);
        long start = Stopwatch.GetTimestamp();
        Thread.Sleep(time);
        double rate = (Interlocked.Read(ref _ended) - before) / Stopwatch.GetElapsedTime(start).TotalSeconds;
        return new RoutedRate(rate, _waits.Milliseconds(0.99));
    }

    /// <summary>Ends the load and waits for it.</summary>
    public void End()
    {
        Volatile.Write(ref _ends, true);
        SpinWait.SpinUntil(() => Volatile.Read(ref _left) == 0, TimeSpan.FromSeconds(10));
    }

    private sealed class Item(RoutedLoad load, int number) : IThreadPoolWorkItem
    {
        private long _cameAt;
        private int _turn = number;

        public void Queue()
        {
            _cameAt = Stopwatch.GetTimestamp();
            _turn++;
            if (load._classes.Length > 0)
            {
                long route = Volatile.Read(ref load._isSkewed) && _turn % 10 != 0 ? 0 : _turn / 10;
                load._classes[_turn % load._classes.Length].UnsafeQueueUserWorkItemRouted(route, this);
            }
            else
            {
                load._child.Pool.Queue(this, preferLocal: false);
            }
        }

        public void Execute()
        {
            load._waits.Add(Stopwatch.GetTimestamp() - _cameAt);
            load._burner.Burn(Milliseconds);
            Interlocked.Increment(ref load._ended);
            if (Volatile.Read(ref load._ends))
            {
                Interlocked.Decrement(ref load._left);
            }
            else
            {
                Queue();
            }
        }
    }
}
