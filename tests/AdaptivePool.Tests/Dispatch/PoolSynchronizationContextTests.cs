using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using AdaptivePool.Blocking;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Post and Send: what flows with a callback, where it runs, and that neither is ever refused.</summary>
public sealed class PoolSynchronizationContextTests : PoolTest
{
    private static readonly AsyncLocal<string?> s_ambient = new();
    private static readonly CultureInfo s_culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public void Post_Callback_SeesTheFlowOfItsPoster(bool fromAWorker, bool asTasks)
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass owner = pool.GetClass("owner");
        SynchronizationContext context = asTasks ? owner.NewTaskContext() : owner.SynchronizationContext;
        for (int round = 0; round < 100; round++)
        {
            var seen = new TaskCompletionSource<(string?, string?, bool)>();
            Action post = () =>
            {
                s_ambient.Value = "mine";
                CultureInfo.CurrentCulture = s_culture;
                using Activity activity = new Activity("posted").Start();
                context.Post(_ => seen.SetResult((s_ambient.Value, Activity.Current?.OperationName, CultureInfo.CurrentCulture == s_culture)), null);
            };
            Eventually.End(fromAWorker ? pool.Run(post) : Task.Run(post));
            Eventually.Result(seen.Task).ShouldBe(("mine", "posted", true));
        }

        Eventually.Result(pool.Run(() => s_ambient.Value)).ShouldBeNull("nothing leaks to the next item");
    }

    [Fact]
    public void Post_FlowSuppressed_SeesNothing()
    {
        AdaptiveThreadPool pool = CreatePool();
        var seen = new TaskCompletionSource<string?>();
        s_ambient.Value = "mine";
        using (ExecutionContext.SuppressFlow())
        {
            pool.SynchronizationContext.Post(_ => seen.SetResult(s_ambient.Value), null);
        }

        Eventually.Result(seen.Task).ShouldBeNull();
    }

    [Fact]
    public void Post_ContinuationOfAnAwait_BringsItsOwnFlow()
    {
        var probe = new PostedCallbacks();
        var source = new TaskCompletionSource();
        SynchronizationContext.SetSynchronizationContext(probe);
        Task flow = Await(source.Task);
        Task yielding = Yield();
        ValueTask pooled = YieldPooled();
        source.Task.GetAwaiter().OnCompleted(static () => { });
        SynchronizationContext.SetSynchronizationContext(null);
        source.SetResult();
        probe.Seen.Count.ShouldBe(4);
        probe.Seen.Count(static posted => AwaitCallbacks.BringsItsContext(posted.Callback, posted.State))
            .ShouldBe(3, "what OnCompleted resumes was promised the flow of its caller");
        AwaitCallbacks.BringsItsContext(static _ => { }, flow).ShouldBeFalse();
        probe.Seen.ForEach(static posted => posted.Callback(posted.State));
        Eventually.End(flow);
        Eventually.End(yielding);
        Eventually.End(pooled.AsTask());

        static async Task Await(Task task) => await task;
        static async Task Yield() => await Task.Yield();
        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
        static async ValueTask YieldPooled() => await Task.Yield();
    }

    /// <summary>Its methods are no async functions, although its objects are tasks.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Post_MethodOfATypeThatDerivesFromTask_SeesTheFlowOfItsPoster(bool asTasks)
    {
        AdaptiveThreadPool pool = CreatePool();
        SynchronizationContext context = asTasks ? pool.GetClass("owner").NewTaskContext() : pool.SynchronizationContext;
        var source = new TaskCompletionSource();
        var own = new OwnTask();
        SynchronizationContext.SetSynchronizationContext(context);
        s_ambient.Value = "mine";
        source.Task.GetAwaiter().OnCompleted(own.GoOn);
        SynchronizationContext.SetSynchronizationContext(null);
        s_ambient.Value = null;
        source.SetResult();
        Eventually.Result(own.Seen.Task).ShouldBe("mine");
    }

    // No object of its own says so: all that is posted after a yield is an async function that goes on, pooled or not.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Post_AfterAYield_FlowIsThatOfTheFunction(bool isPooled)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Eventually.Result(pool.Run(async () =>
        {
            s_ambient.Value = "mine";
            await (isPooled ? YieldPooled().AsTask() : Yield());
            return s_ambient.Value;
        })).ShouldBe("mine");
        Eventually.Result(pool.Run(static () => s_ambient.Value)).ShouldBeNull("nothing leaks to the next item");

        static async Task Yield()
        {
            await Task.Yield();
            s_ambient.Value.ShouldBe("mine");
        }

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
        static async ValueTask YieldPooled()
        {
            await Task.Yield();
            s_ambient.Value.ShouldBe("mine");
        }
    }

    [Fact]
    public void Send_WhilePoolDrains_RunsAndIsWaitedFor()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var cancellation = new CancellationTokenSource();
        using var started = new ManualResetEventSlim();
        using var open = new ManualResetEventSlim();
        string ran = "";
        Task item = pool.Run(() =>
        {
            cancellation.Token.Register(() => ran += "sent", useSynchronizationContext: true);
            started.Set();
            open.Wait();
        });
        Eventually.Set(started, "the item must start");
        Task disposal = pool.DisposeAsync().AsTask();
        cancellation.Cancel();
        ran.ShouldBe("sent");
        open.Set();
        Eventually.End(disposal);
        Eventually.End(item);
    }

    [Fact]
    public void Send_AfterTheEnd_RunsOnTheCaller()
    {
        AdaptiveThreadPool pool = CreatePool();
        pool.Dispose();
        int ranOn = 0;
        pool.SynchronizationContext.Send(_ => ranOn = Environment.CurrentManagedThreadId, null);
        ranOn.ShouldBe(Environment.CurrentManagedThreadId);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Send_ToAClass_RunsInIt(bool fromAWorker)
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass owner = pool.GetClass("owner");
        SynchronizationContext? seen = null;
        string? flowed = null;
        long completed = owner.GetSnapshot().Completed;
        Action send = () =>
        {
            SynchronizationContext? before = SynchronizationContext.Current;
            s_ambient.Value = "mine";
            owner.SynchronizationContext.Send(_ => (seen, flowed) = (SynchronizationContext.Current, s_ambient.Value), null);
            SynchronizationContext.Current.ShouldBeSameAs(before);
        };
        Eventually.End(fromAWorker ? pool.Run(send) : Task.Run(send));
        seen.ShouldBeSameAs(owner.SynchronizationContext);
        flowed.ShouldBe("mine");
        pool.GetSnapshot().Classes[0].Completed.ShouldBeLessThanOrEqualTo(fromAWorker ? 1 : 0, "a Send is no root work of the default class");
    }

    private sealed class PostedCallbacks : SynchronizationContext
    {
        public List<(SendOrPostCallback Callback, object? State)> Seen { get; } = [];

        public override void Post(SendOrPostCallback d, object? state) => Seen.Add((d, state));
    }

    private sealed class OwnTask() : Task(static () => { })
    {
        public TaskCompletionSource<string?> Seen { get; } = new();

        public void GoOn() => Seen.SetResult(s_ambient.Value);
    }
}
