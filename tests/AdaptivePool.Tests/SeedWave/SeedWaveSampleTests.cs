using System.Collections.Concurrent;
using AdaptivePool.Control;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Tests.SeedWave;

/// <summary>What a real pool tells the founding document's controller.</summary>
public sealed class SeedWaveSampleTests : PoolTest
{
    private readonly ConcurrentQueue<DecisionLogEntry> _log = [];

    [Fact]
    public void Connections_AreWhatRunsAndWaits_AndWaitsAreMeasured()
    {
        AdaptiveThreadPool pool = Create();
        using CurveLoad load = new(pool.DefaultClass, 40, static n => 250.0 * n);

        // 40 clients, at most 14 of them served at once: the others wait for about as long as it takes to serve them, once all have come.
        PoolSample sample = Await(static it => it.Connections == 40 && it.MeanQueueWait > it.MeanServiceTime / 2);
        sample.MeanQueueWait.ShouldBeGreaterThan(TimeSpan.Zero);
        sample.MaxQueueWait.ShouldBeGreaterThanOrEqualTo(sample.MeanQueueWait);
    }

    [Fact]
    public void CountConnections_Set_RequestsThatAwaitCountToo()
    {
        AdaptiveThreadPool pool = Create();
        pool.DefaultClass.CountConnections = static () => 77;
        using CurveLoad load = new(pool.DefaultClass, 2, static n => 250.0 * n);
        Await(static it => it.Connections == 77).RequestGapSeconds.ShouldBeGreaterThanOrEqualTo(0);
    }

    [Fact]
    public void CountConnections_OfTheDefaultClass_SayNothingOfWorkInFlight()
    {
        const string InFlight = "the second is for work in flight";
        int made = 0;

        // A controller gets samples of work in flight once the ramp rests: soon, where there is no larger size, and work always waits for a size of its own.
        AdaptiveThreadPool pool = Create(() => Interlocked.Increment(ref made) == 2 ? InFlight : "default", threads: 4, mostThreads: 4);
        pool.DefaultClass.CountConnections = static () => 77;
        using (new CurveLoad(pool.DefaultClass, 2, static n => 250.0 * n))
        {
            Await(static it => it.Connections == 77);
        }

        using var stop = new CancellationTokenSource();
        Task[] clients = [.. Enumerable.Range(0, 40).Select(_ => pool.Run(() => GoOnAsync(stop.Token)))];
        try
        {
            Eventually.Be(() => _log.Count(static it => it is { ClassName: InFlight, Sample: not null }) > 2, "work in flight has samples, too");
        }
        finally
        {
            stop.Cancel();
        }

        Array.ForEach(clients, static client => Eventually.End(client));
        _log.Where(static it => it.ClassName == InFlight).Select(static it => it.Sample?.Connections).ShouldNotContain(77);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(null)]
    public void CountConnections_Wrong_IsToldOnceAndNotAskedAgain(int? counted)
    {
        AdaptiveThreadPool pool = Create();
        int asked = 0;
        var faults = new ConcurrentQueue<Exception>();
        pool.Faulted += (_, fault) => faults.Enqueue(fault);
        pool.DefaultClass.CountConnections = () =>
        {
            Interlocked.Increment(ref asked);
            return counted ?? throw new TimeoutException("no answer");
        };
        using CurveLoad load = new(pool.DefaultClass, 3, static n => 250.0 * n);
        Await(static it => it.Connections == 3);
        faults.ShouldHaveSingleItem();
        asked.ShouldBe(1);
        pool.DefaultClass.CountConnections.ShouldBeNull();
    }

    [Fact]
    public void RequestGap_ClientsThatThink_IsKnown()
    {
        AdaptiveThreadPool pool = Create();
        using var stop = new CancellationTokenSource();
        Task[] clients = [.. Enumerable.Range(0, 8).Select(_ => Task.Run(() => ThinkAsync(pool.DefaultClass, stop.Token)))];
        PoolSample sample = Await(static it => it.RequestGapSeconds > 0);
        stop.Cancel();
        Eventually.End(Task.WhenAll(clients), "the clients end");
        sample.RequestGapSeconds.ShouldBeLessThan(10);
    }

    private static async Task ThinkAsync(WorkClass workClass, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            await workClass.Run(static () => Thread.Sleep(2)).ConfigureAwait(false);
            await Task.Delay(20, CancellationToken.None).ConfigureAwait(false);
        }
    }

    private static async Task GoOnAsync(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            await Task.Yield();
            Thread.Sleep(1);
        }
    }

    private AdaptiveThreadPool Create(Func<string>? nameOf = null, int threads = 10, int mostThreads = AdaptivePoolOptions.DefaultMaxThreads)
    {
        var seed = new SeedWaveOptions
        {
            SamplePeriod = TimeSpan.FromMilliseconds(100),
            MinAcceptedThroughput = 0,
            ValuableProgress = 100,
            MinWaveMagnitude = 4,
        };
        var options = new HillClimbingOptions { Profile = ControllerProfile.SeedWave, Seed = seed };
        return CreatePool(new AdaptivePoolOptions
        {
            InitialThreads = threads,
            MaxThreads = mostThreads,
            Sizing = PoolSizing.Custom(
                () => new LoggingController(new HillClimbingController(options), nameOf?.Invoke() ?? "default", _log.Enqueue, static () => TimeSpan.Zero)),
        });
    }

    private PoolSample Await(Func<PoolSample, bool> isWanted)
    {
        PoolSample found = default;
        Eventually.Be(
            () => _log.Any(it => it.Sample is { } sample && isWanted(found = sample)),
            "a sample of this kind");
        return found;
    }
}
