using System.Globalization;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>Round trips of one item after the other, each through the next of many classes.</summary>
public sealed class ClassesCase(int classes) : DispatchCase
{
    /// <summary>A round trip takes so many times as long as an item that follows another one.</summary>
    private const int ItemsForOne = 16;

    private ComparedClass[] _classes = [];
    private int _next;

    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        if (_classes.Length == 0)
        {
            _classes = [.. Enumerable.Range(0, classes).Select(i => pool.GetClass(i.ToString(CultureInfo.InvariantCulture)))];
        }

        Item item = new();
        int trips = items / ItemsForOne;
        for (int i = 0; i < trips; i++)
        {
            _next = (_next + 1) % classes;
            _classes[_next].Queue(item);
            long start = Environment.TickCount64;
            while (item.Ended <= i)
            {
                Thread.Yield();
                if (Environment.TickCount64 - start > Limit.TotalMilliseconds)
                {
                    throw new TimeoutException($"An item did not run within {Limit.TotalSeconds:0} s.");
                }
            }
        }

        return trips;
    }

    private sealed class Item : IThreadPoolWorkItem
    {
        private int _ended;

        public int Ended => Volatile.Read(ref _ended);

        public void Execute() => Volatile.Write(ref _ended, _ended + 1);
    }
}
