using System.Globalization;
using System.Reflection;
using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

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

    /// <summary>The handler is told when the worker takes the value of the first item away.</summary>
    [Fact]
    public void AsyncLocal_SetByTheHandlerOfAnother_IsGoneInTheNext()
    {
        var set = new AsyncLocal<string?>();
        var told = new AsyncLocal<string?>(change => set.Value = change.ThreadContextChanged ? "secret of the handler" : null);
        Next(() => told.Value = "secret of the first", () => set.Value).ShouldBeNull();
    }

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

    /// <summary>The runtime asks the context of the thread that waits for a lock. One that throws ended the process: no item runs any more.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void SynchronizationContext_SetByAnItem_IsNotAskedWhenTheWorkerWaitsForALockAfterIt(bool isSetByAHandler)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        var left = new AskedContext();
        var told = new AsyncLocal<string?>(change =>
        {
            if (change.ThreadContextChanged)
            {
                SynchronizationContext.SetSynchronizationContext(left);
            }
        });
        Thread? worker = null;
        bool ends = false;
        pool.UnsafeQueueUserWorkItem(
            new CallbackItem(() =>
            {
                Volatile.Write(ref worker, Thread.CurrentThread);
                while (!Volatile.Read(ref ends))
                {
                    // No wait of the item's own.
                    Thread.Yield();
                }

                if (isSetByAHandler)
                {
                    // The handler is told of it again when the worker takes the value away.
                    told.Value = "of the item";
                }
                else
                {
                    SynchronizationContext.SetSynchronizationContext(left);
                }
            }),
            preferLocal: false);
        Eventually.Be(() => Volatile.Read(ref worker) is not null, "the item begins");
        Task next = pool.DefaultClass.RunFor("tenant", static () => { });
        using (LockOfTenants(pool).Hold())
        {
            Volatile.Write(ref ends, true);
            Eventually.Be(() => worker!.ThreadState.HasFlag(ThreadState.WaitSleepJoin), "the worker waits for the lock of the queue");
        }

        Eventually.End(next);
        left.Asked.ShouldBe(0);
    }

    [Fact]
    public void SynchronizationContext_SetByAnItemThatThrows_IsGoneWhenItIsTold()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        var seen = new TaskCompletionSource<SynchronizationContext?>();
        pool.Faulted += (_, _) => seen.SetResult(SynchronizationContext.Current);
        pool.UnsafeQueueUserWorkItem(
            new CallbackItem(static () =>
            {
                SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
                throw new InvalidOperationException("item");
            }),
            preferLocal: false);
        Eventually.Result(seen.Task).ShouldBeOfType<PoolSynchronizationContext>("handlers of this event run under a context of the pool");
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

    private static SyncLock<RealSync> LockOfTenants(AdaptiveThreadPool pool)
    {
        object lane = Field(pool.DefaultClass.Core.Queue, "_tenants");
        return (SyncLock<RealSync>)Field(lane, "_lock");

        static object Field(object of, string name) => of.GetType().GetField(name, BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(of)!;
    }

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

    /// <summary>A context that counts how often the runtime asks it before a wait.</summary>
    private sealed class AskedContext : SynchronizationContext
    {
        private int _asked;

        public AskedContext() => SetWaitNotificationRequired();

        public int Asked => Volatile.Read(ref _asked);

        public override int Wait(nint[] waitHandles, bool waitAll, int millisecondsTimeout)
        {
            Interlocked.Increment(ref _asked);
            return base.Wait(waitHandles, waitAll, millisecondsTimeout);
        }
    }
}
