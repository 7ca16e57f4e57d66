using System.Globalization;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>
/// Nothing leaks from one work item to the next on the same thread. A task has a context of its own; a bare work item runs in what the worker has, so only
/// these show what a worker forgot.
/// </summary>
public sealed class ItemIsolationTests : PoolTest
{
    private static readonly AsyncLocal<string?> s_flows = new();

    [Fact]
    public void AsyncLocal_SetByAnItem_IsGoneInTheNext() => Next(() => s_flows.Value = "secret of the first", () => s_flows.Value).ShouldBeNull();

    [Fact]
    public void Culture_SetByAnItem_IsGoneInTheNext() =>
        Next(() => CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = "#" } }, ()
            => CultureInfo.CurrentCulture.NumberFormat.NumberDecimalSeparator).ShouldBe(".");

    [Fact]
    public void SuppressedFlow_LeftByAnItem_FlowsAgainInTheNext()
        => Next(() => _ = ExecutionContext.SuppressFlow(), ExecutionContext.IsFlowSuppressed).ShouldBeFalse();

    [Fact]
    public void SynchronizationContext_SetByAnItem_IsThatOfTheClassInTheNext()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Next(pool, () => SynchronizationContext.SetSynchronizationContext(new SynchronizationContext()), () => SynchronizationContext.Current)
            .ShouldBeSameAs(pool.DefaultClass.SynchronizationContext);
    }

    [Fact]
    public void NameOfTheThread_SetByAnItem_IsTheWorkersInTheNext()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        string? before = Next(pool, static () => { }, () => Thread.CurrentThread.Name);
        before.ShouldNotBeNullOrEmpty();
        Next(pool, () => Thread.CurrentThread.Name = "mine", () => Thread.CurrentThread.Name).ShouldBe(before);
    }

    [Fact]
    public void PriorityOfTheThread_SetByAnItem_IsNormalInTheNext() =>
        Next(() => Thread.CurrentThread.Priority = ThreadPriority.Lowest, () => Thread.CurrentThread.Priority).ShouldBe(ThreadPriority.Normal);

    [Fact]
    public void ForegroundThread_MadeByAnItem_IsInTheBackgroundInTheNext()
        => Next(() => Thread.CurrentThread.IsBackground = false, () => Thread.CurrentThread.IsBackground).ShouldBeTrue();

    private T Next<T>(Action first, Func<T> second) => Next(CreateSingleThreadPool(), first, second);

    /// <summary>
    /// What the second of two items sees on the same thread. Both wait in the queue before the first runs, so nothing but the end of an item lies between them.
    /// </summary>
    private static T Next<T>(AdaptiveThreadPool pool, Action first, Func<T> second)
    {
        var seen = new TaskCompletionSource<(int Thread, T Value)>(TaskCreationOptions.RunContinuationsAsynchronously);
        int thread = 0;
        using (new WorkerGate(pool.Factory, 1))
        {
            pool.UnsafeQueueUserWorkItem(
                new CallbackItem(() =>
                {
                    thread = Environment.CurrentManagedThreadId;
                    first();
                }),
                preferLocal: false);
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() => seen.SetResult((Environment.CurrentManagedThreadId, second()))), preferLocal: false);
        }

        (int own, T value) = Eventually.Result(seen.Task);
        own.ShouldBe(thread, "one thread runs both");
        return value;
    }
}
