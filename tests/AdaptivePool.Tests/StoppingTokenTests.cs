using AdaptivePool.Tests.Admission;

namespace AdaptivePool.Tests;

/// <summary>The time for the end of a pool may begin before its disposal. The hours pass on a clock that only the test moves.</summary>
public sealed class StoppingTokenTests : IDisposable
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);
    private readonly ManualClock _clock = new();
    private readonly ManualResetEventSlim _never = new();

    // Only here does "never" end, so that the test process keeps no threads.
    public void Dispose() => _never.Set();

    [Fact]
    public void DisposeAsync_DrainTimeoutHasPassedSinceTheToken_SeveralPoolsWaitNoLonger()
    {
        using var stopping = new CancellationTokenSource();
        AdaptiveThreadPool[] pools = [Create(stopping.Token), Create(stopping.Token)];
        Array.ForEach(pools, Block);
        stopping.Cancel();
        _clock.Advance(s_hour);

        // One after the other, as a container does.
        foreach (AdaptiveThreadPool pool in pools)
        {
            Eventually.End(pool.DisposeAsync().AsTask(), "the hour has passed since the program began to stop");
        }
    }

    [Fact]
    public void Run_AfterTheToken_IsAcceptedAndRuns()
    {
        using var stopping = new CancellationTokenSource();
        AdaptiveThreadPool pool = Create(stopping.Token);
        stopping.Cancel();
        _clock.Advance(s_hour / 2);
        Eventually.Result(pool.Run(static () => 1), "what stops may need the pool").ShouldBe(1);
        using var open = new ManualResetEventSlim();
        Task<int> last = pool.Run(() =>
        {
            open.Wait();
            return 2;
        });
        Task disposal = pool.DisposeAsync().AsTask();
        open.Set();
        Eventually.End(disposal);
        last.IsCompletedSuccessfully.ShouldBeTrue("half of the time was left");
    }

    [Fact]
    public void DisposeAsync_ElasticPart_HasTheTimeOfItsPool()
    {
        AdaptiveThreadPool pool = Create(CancellationToken.None);
        using var open = new ManualResetEventSlim();
        Task own = pool.Run(open.Wait);
        Block(pool.Elastic);
        Task disposal = pool.DisposeAsync().AsTask();
        _clock.Advance(s_hour);
        open.Set();
        Eventually.End(own);
        Eventually.End(disposal, "the hour has passed since the pool was disposed");
    }

    [Fact]
    public void Dispose_ElasticPartAlone_TheTimeOfItsPoolDoesNotBegin()
    {
        AdaptiveThreadPool pool = Create(CancellationToken.None);
        pool.Elastic.Dispose();
        _clock.Advance(s_hour);
        using var open = new ManualResetEventSlim();
        Task own = pool.Run(open.Wait);
        Task disposal = pool.DisposeAsync().AsTask();
        disposal.Wait(TimeSpan.FromMilliseconds(300)).ShouldBeFalse("the hour of the pool has only begun");
        open.Set();
        Eventually.End(own);
        Eventually.End(disposal);
    }

    [Fact]
    public void StoppingToken_OfAProgramThatGoesOn_KeepsNoDisposedPool()
    {
        using var stopping = new CancellationTokenSource();
        WeakReference pool = UseAndDispose(stopping.Token);
        Eventually.Go(pool, "neither the token nor the process may keep a disposed pool");

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        WeakReference UseAndDispose(CancellationToken token)
        {
            AdaptiveThreadPool created = Create(token);
            Eventually.End(created.Run(static () => { }));
            created.Dispose();
            return new WeakReference(created);
        }
    }

    private AdaptiveThreadPool Create(CancellationToken stopping) => new(
        new AdaptivePoolOptions { DrainTimeout = s_hour, StoppingToken = stopping },
        new PoolSurroundings { Budget = new(), RuntimePool = null, End = new ProgramEnd(_clock) });

    private void Block(AdaptiveThreadPool pool)
    {
        using var started = new ManualResetEventSlim();
        _ = pool.Run(() =>
        {
            started.Set();
            _never.Wait();
        });
        Eventually.Set(started, "the item must start");
    }
}
