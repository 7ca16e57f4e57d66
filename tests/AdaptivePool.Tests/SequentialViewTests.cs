namespace AdaptivePool.Tests;

/// <summary>Items of a class one at a time and in order.</summary>
public sealed class SequentialViewTests : PoolTest
{
    private const int Items = 2_000;

    [Fact]
    public async Task Run_ManyItemsFromOneCaller_OneAtATimeAndInOrder()
    {
        SequentialView view = CreatePool().GetClass("ledger").AsSequential();
        int inside = 0;
        var order = new List<int>();
        Task[] all = [.. Enumerable.Range(0, Items).Select(i => view.Run(() =>
        {
            Interlocked.Increment(ref inside).ShouldBe(1);
            order.Add(i);
            Interlocked.Decrement(ref inside);
        }))];

        await Task.WhenAll(all).WaitAsync(Eventually.Patience);

        order.ShouldBe(Enumerable.Range(0, Items));
    }

    [Fact]
    public async Task Run_ManyCallersAndAwaits_NothingIsLostOfAPlainInteger()
    {
        SequentialView view = CreatePool().GetClass("ledger").AsSequential();
        int plain = 0;
        Task[] all = [.. Enumerable.Range(0, 8).Select(_ => Task.Run(() => Task.WhenAll(Enumerable.Range(0, Items / 8).Select(_ => view.Run(async () =>
        {
            plain++;
            await Task.Yield();
            plain++;
            TaskScheduler.Current.ShouldBe(view.Scheduler);
        })))))];

        await Task.WhenAll(all).WaitAsync(Eventually.Patience);

        plain.ShouldBe(2 * Items);
    }

    [Fact]
    public async Task Run_FunctionStandsAtAnAwait_TheNextRuns()
    {
        SequentialView view = CreatePool().DefaultClass.AsSequential();
        var gate = new TaskCompletionSource();
        Task<int> first = view.Run(async () => { await gate.Task; return 1; });

        (await view.Run(() => 2).WaitAsync(Eventually.Patience)).ShouldBe(2);
        gate.SetResult();
        (await first.WaitAsync(Eventually.Patience)).ShouldBe(1);
    }

    [Fact]
    public async Task Run_FunctionStandsAtAnAwaitWhenThePoolIsDisposed_IsWaitedFor()
    {
        AdaptiveThreadPool pool = CreatePool();
        SequentialView view = pool.DefaultClass.AsSequential();
        var gate = new TaskCompletionSource();
        int ended = 0;
        _ = view.Run(async () => { await gate.Task; ended++; });
        _ = view.Run(async () => { await gate.Task; return ended++; });
        await view.Run(static () => { }).WaitAsync(Eventually.Patience);

        Task end = pool.DisposeAsync().AsTask();
        await Task.WhenAny(end, Task.Delay(200));
        gate.SetResult();
        await end.WaitAsync(Eventually.Patience);
        ended.ShouldBe(2);
    }

    [Fact]
    public async Task DisposeAsync_InAFunctionOfAViewThatHasLeftThePool_Returns()
    {
        AdaptiveThreadPool pool = CreatePool();
        await pool.DefaultClass.AsSequential().Run(async () =>
        {
            await Task.Delay(1).ConfigureAwait(false);
            await pool.DisposeAsync();
        }).WaitAsync(Eventually.Patience);
    }

    [Fact]
    public async Task Run_TwoViewsOfAClass_RunBesideEachOther()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var meeting = new Barrier(2);
        Task[] both = [.. Enumerable.Range(0, 2).Select(_ => pool.DefaultClass.AsSequential().Run(() => meeting.SignalAndWait()))];

        await Task.WhenAll(both).WaitAsync(Eventually.Patience);
    }

    [Fact]
    public async Task Run_CancelledBeforeItsTurn_ThoseBehindItMoveUp()
    {
        SequentialView view = CreatePool().DefaultClass.AsSequential();
        using var held = new ManualResetEventSlim();
        using var source = new CancellationTokenSource();
        Task first = view.Run(held.Wait);
        Task second = view.Run(static () => Assert.Fail("It was cancelled."), source.Token);
        Task third = view.Run(static () => { });
        await source.CancelAsync();
        held.Set();

        await Task.WhenAll(first, third).WaitAsync(Eventually.Patience);
        (await Should.ThrowAsync<TaskCanceledException>(second)).CancellationToken.ShouldBe(source.Token);
    }

    [Fact]
    public async Task Run_ItemThrows_TheCallerHearsOfItAndTheNextRuns()
    {
        SequentialView view = CreatePool().DefaultClass.AsSequential();
        Task failing = view.Run(static () => throw new InvalidOperationException("mine"));
        Task<string> next = view.Run(static () => Task.FromResult("next"));

        (await next.WaitAsync(Eventually.Patience)).ShouldBe("next");
        (await Should.ThrowAsync<InvalidOperationException>(failing)).Message.ShouldBe("mine");
    }

    [Fact]
    public async Task Dispose_ItemsWait_AllRunAndLaterOnesAreRefused()
    {
        AdaptiveThreadPool pool = CreatePool();
        SequentialView view = pool.DefaultClass.AsSequential();
        using var held = new ManualResetEventSlim();
        int ran = 0;
        Task[] all = [.. Enumerable.Range(0, 200).Select(i => view.Run(() =>
        {
            if (i == 0)
            {
                held.Wait();
            }

            ran++;
        }))];
        Task end = pool.DisposeAsync().AsTask();
        Should.Throw<ObjectDisposedException>(() => { _ = view.Run(static () => { }); });
        held.Set();

        await end.WaitAsync(Eventually.Patience);
        await Task.WhenAll(all).WaitAsync(Eventually.Patience);
        ran.ShouldBe(200);
    }

    [Fact]
    public async Task Run_OneThreadAndManyViews_AllEnd()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1 });
        int ran = 0;
        Task[] all = [.. Enumerable.Range(0, 10_000).Select(_ => pool.DefaultClass.AsSequential().Run(() => Interlocked.Increment(ref ran)))];

        await Task.WhenAll(all).WaitAsync(Eventually.Patience);

        ran.ShouldBe(10_000);
    }

    [Fact]
    public void Run_Null_Throws()
    {
        SequentialView view = CreatePool().DefaultClass.AsSequential();
        Should.Throw<ArgumentNullException>(() => { _ = view.Run((Action)null!); });
        Should.Throw<ArgumentNullException>(() => { _ = view.Run((Func<int>)null!); });
        Should.Throw<ArgumentNullException>(() => { _ = view.Run((Func<Task>)null!); });
        Should.Throw<ArgumentNullException>(() => { _ = view.Run((Func<Task<int>>)null!); });
    }
}
