using AdaptivePool.Control;

namespace AdaptivePool.Tests.Faults;

/// <summary>The system refuses the k-th thread: what lives goes on, the refusal is counted, and the pool asks again, ever less often and never in a
/// loop.</summary>
public sealed class ThreadRefusedTests : PoolTest
{
    private const int Items = 24;

    public static TheoryData<int> EachPlace => [.. Enumerable.Range(1, 20)];

    [Theory]
    [MemberData(nameof(EachPlace))]
    public void KthThreadRefusedOnce_EveryItemStartsAndTheRefusalIsCounted(int k)
    {
        using var threads = new ScriptedThreadSource(attempt => attempt == k);
        AdaptiveThreadPool pool = Create(threads);
        using var started = new CountdownEvent(Items);
        using var open = new ManualResetEventSlim();
        Task[] items = Block(pool, started, open);

        Eventually.Be(() => threads.Waits.Count == 1, "the pool waits before it asks again");
        threads.Retry(1);
        Eventually.Zero(started, "every item must get a thread of its own");

        open.Set();
        Array.ForEach(items, t => Eventually.End(t));
        pool.GetSnapshot().ThreadCreationFailures.ShouldBe(1);
        threads.Waits.ShouldBe([TimeSpan.FromMilliseconds(10)]);
        pool.Dispose();
    }

    [Theory]
    [MemberData(nameof(EachPlace))]
    public void EveryThreadFromTheKthRefused_LivingWorkersGoOnAndAttemptsAreAsManyAsWaits(int k)
    {
        using var threads = new ScriptedThreadSource(attempt => attempt >= k);
        AdaptiveThreadPool pool = Create(threads);
        using var started = new CountdownEvent(Items);
        using var open = new ManualResetEventSlim();
        Task[] items = Block(pool, started, open);

        for (int wait = 1; wait <= 8; wait++)
        {
            Eventually.Be(() => threads.Waits.Count == wait, "each refusal is followed by a wait");
            threads.Attempts.ShouldBe(k - 1 + wait, "one attempt for each wait that has ended");
            threads.Retry(1);
        }

        Eventually.Be(() => threads.Waits.Count == 9, "it never gives up");
        threads.Waits.Select(static w => w.TotalMilliseconds).ShouldBe([10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]);
        Eventually.Be(() => Items - started.CurrentCount == k - 1, "those that live hold an item each");
        pool.GetSnapshot().ThreadCreationFailures.ShouldBe(9);
        pool.GetSnapshot().Existing.ShouldBe(k - 1);

        threads.Recover();
        Eventually.Zero(started, "work that waited runs when the system gives threads");
        open.Set();
        Array.ForEach(items, t => Eventually.End(t));
        pool.Dispose();
    }

    [Theory]
    [InlineData(2)]
    [InlineData(7)]
    [InlineData(20)]
    public void EveryThreadFromTheKthRefused_ItemsThatEndAllRunOnTheLivingWorkers(int k)
    {
        using var threads = new ScriptedThreadSource(attempt => attempt >= k);
        AdaptiveThreadPool pool = Create(threads);
        Task<int>[] tasks = [.. Enumerable.Range(0, 1_000).Select(i => pool.Run(() => i))];

        tasks.Sum(static t => Eventually.Result(t)).ShouldBe(499_500);
        pool.GetSnapshot().PeakThreads.ShouldBeLessThan(k);
        pool.Dispose();
    }

    [Fact]
    public void Dispose_WhileThreadsAreRefused_Ends()
    {
        using var threads = new ScriptedThreadSource(static _ => true);
        AdaptiveThreadPool pool = Create(threads, TimeSpan.Zero);
        Task item = pool.Run(static () => { });
        Eventually.Be(() => threads.Waits.Count == 1, "no thread is given");

        Eventually.End(pool.DisposeAsync().AsTask(), "a pool without threads ends");
        Eventually.End(item, "what never started runs on the runtime's pool");
    }

    private AdaptiveThreadPool Create(ScriptedThreadSource threads, TimeSpan? drain = null) =>
        CreatePool(new AdaptivePoolOptions { MinThreads = 1, DrainTimeout = drain ?? Timeout.InfiniteTimeSpan, Sizing = PoolSizing.Fixed(Items) }, threads);

    private static Task[] Block(AdaptiveThreadPool pool, CountdownEvent started, ManualResetEventSlim open) =>
        [.. Enumerable.Range(0, Items).Select(_ => pool.Run(() =>
        {
            started.Signal();
            open.Wait();
        }))];
}
