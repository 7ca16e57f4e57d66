using System.Diagnostics;
using System.Runtime.CompilerServices;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>What a wait costs inside an item beyond what it costs on a plain thread.</summary>
public sealed class WaitCost(ChildContext child)
{
    private const int ReadyWaits = 200_000;
    private const int WarmUps = 3;
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(60);
    private readonly int _turns = child.Quick ? 10_000 : 20_000;
    private readonly int _repetitions = child.Quick ? 5 : 21;
    private readonly SemaphoreSlim _slim = new(1);
    private readonly Semaphore _handle = new(1, 1);

    /// <summary>The metrics reported here.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("blocking-wait-ns", "ns", Better.Lower),
        new("blocking-wait-plain-ns", "ns"),
        new("blocking-wait-extra-ns", "ns", Better.Lower),
        new("blocking-wait-extra-bytes", "B", Better.Lower),
        new("ready-semaphore-slim-extra-ns", "ns", Better.Lower),
        new("ready-semaphore-slim-extra-bytes", "B", Better.Lower),
        new("ready-handle-extra-ns", "ns", Better.Lower),
        new("ready-handle-extra-bytes", "B", Better.Lower),
    ];

    /// <summary>Measures and reports. Plain threads and items take turns, so that both meet the same machine; the extra is the median of the
    /// differences.</summary>
    public void Measure()
    {
        List<(WaitTime Plain, WaitTime Item)> blocking = Compare(PingPongOnThreads, PingPongOnPool);
        child.Report("blocking-wait-ns", Bootstrap.Median([.. blocking.Select(static p => p.Item.Nanoseconds)]));
        child.Report("blocking-wait-plain-ns", Bootstrap.Median([.. blocking.Select(static p => p.Plain.Nanoseconds)]));
        ReportExtra("blocking-wait", blocking);
        ReportExtra("ready-semaphore-slim", Compare(() => OnThread(WaitSlim), () => OnPool(WaitSlim)));
        ReportExtra("ready-handle", Compare(() => OnThread(WaitHandle), () => OnPool(WaitHandle)));
    }

    private List<(WaitTime Plain, WaitTime Item)> Compare(Func<WaitTime> plain, Func<WaitTime> item)
    {
        List<(WaitTime, WaitTime)> pairs = [];
        for (int i = 0; i < WarmUps + _repetitions; i++)
        {
            // A B B A: whoever goes first must not always be the same.
            (WaitTime first, WaitTime second) = i % 2 == 0 ? (plain(), item()) : Swap(item(), plain());
            if (i >= WarmUps)
            {
                pairs.Add((first, second));
            }
        }

        return pairs;
    }

    private void ReportExtra(string name, List<(WaitTime Plain, WaitTime Item)> pairs)
    {
        child.Report(name + "-extra-ns", Bootstrap.Median([.. pairs.Select(static p => p.Item.Nanoseconds - p.Plain.Nanoseconds)]));
        child.Report(name + "-extra-bytes", Math.Round(Bootstrap.Median([.. pairs.Select(static p => (double)(p.Item.Bytes - p.Plain.Bytes))]), 1));
    }

    private WaitTime PingPongOnThreads()
    {
        using PingPong game = new(_turns);
        Thread second = new(game.Second);
        second.Start();
        new Thread(game.First).Start();
        game.Wait(s_limit);
        second.Join();
        return new(game.Nanoseconds, game.Bytes);
    }

    private WaitTime PingPongOnPool()
    {
        using PingPong game = new(_turns);
        Task? second = null;
        Task first = child.Pool.Run(() =>
        {
            // Queued by the item, so that it is work in flight and a spare takes it as soon as the first side waits.
            second = child.Pool.Run(game.Second);
            game.First();
        });
        game.Wait(s_limit);
        first.Wait();
        second!.Wait();
        return new(game.Nanoseconds, game.Bytes);
    }

    private static WaitTime OnThread(Func<WaitTime> measure)
    {
        WaitTime result = default;
        Thread thread = new(() => result = measure());
        thread.Start();
        thread.Join();
        return result;
    }

    private WaitTime OnPool(Func<WaitTime> measure)
    {
        WaitTime result = default;
        child.Pool.Run(() => result = measure()).Wait();
        return result;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private WaitTime WaitSlim()
    {
        long allocated = GC.GetAllocatedBytesForCurrentThread();
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < ReadyWaits; i++)
        {
            _slim.Wait();
            _slim.Release();
        }

        return WaitTime.Of(start, allocated, ReadyWaits);
    }

    /// <summary>The runtime calls the hook of a wait handle before it knows whether it will block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private WaitTime WaitHandle()
    {
        long allocated = GC.GetAllocatedBytesForCurrentThread();
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < ReadyWaits; i++)
        {
            _handle.WaitOne();
            _handle.Release();
        }

        return WaitTime.Of(start, allocated, ReadyWaits);
    }

    private static (WaitTime, WaitTime) Swap(WaitTime first, WaitTime second) => (second, first);
}
