using AdaptivePool.Admission;

namespace AdaptivePool.Tests;

/// <summary>Functions whose result is a ValueTask, given as lambdas and method groups to whatever runs something and returns a task.</summary>
public sealed class ValueTaskTests : PoolTest
{
    private delegate Task Starter(WorkClass target, Func<ValueTask> function, CancellationToken cancellationToken);

    private static readonly Dictionary<string, Starter> s_starters = new(StringComparer.Ordinal)
    {
        ["Pool"] = static (target, function, token) => target.Pool.Run(() => function(), cancellationToken: token),
        ["Run"] = static (target, function, token) => target.Run(() => function(), cancellationToken: token),
        ["RunFor"] = static (target, function, token) => target.RunFor("tenant", () => function(), token),
        ["RunRouted"] = static (target, function, token) => target.RunRouted(7, () => function(), token),
        ["Sequential"] = static (target, function, token) => target.AsSequential().Run(() => function(), token),
    };

    public static TheoryData<string> Ways => [.. s_starters.Keys];

    [Theory]
    [MemberData(nameof(Ways))]
    public void Function_StandsAtAnAwait_ItsTaskEndsWithItAndNotBefore(string way)
    {
        WorkClass target = CreatePool().GetClass("named");
        using var begun = new ManualResetEventSlim();
        var gate = new TaskCompletionSource();
        Task task = s_starters[way](target, Works, CancellationToken.None);

        Eventually.Set(begun, "it begins");
        gate.SetException(new InvalidOperationException("after the await"));
        Should.Throw<InvalidOperationException>(() => Eventually.End(task)).Message.ShouldBe("after the await");

        async ValueTask Works()
        {
            begun.Set();
            await gate.Task;
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public void Function_Awaits_GoesOnWhereItBegan(string way)
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass target = way == "Pool" ? pool.DefaultClass : pool.GetClass("named");
        Eventually.End(s_starters[way](target, Works, CancellationToken.None));

        async ValueTask Works()
        {
            SynchronizationContext? context = SynchronizationContext.Current;
            TaskScheduler scheduler = TaskScheduler.Current;
            context.ShouldBeSameAs(way == "Sequential" ? null : target.SynchronizationContext);
            await Task.Yield();
            Thread.CurrentThread.IsThreadPoolThread.ShouldBeFalse();
            SynchronizationContext.Current.ShouldBeSameAs(context);
            TaskScheduler.Current.ShouldBeSameAs(scheduler);
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public void Function_IsCancelled_AsAFunctionWithATask(string way)
    {
        WorkClass target = CreatePool().GetClass("named");
        using var source = new CancellationTokenSource();
        Task itself = s_starters[way](target, Cancels, source.Token);
        Eventually.Complete(itself);
        itself.IsCanceled.ShouldBeTrue("it was cancelled after its await");

        int ran = 0;
        Task never = s_starters[way](target, Counts, source.Token);
        Eventually.Complete(never);
        (never.IsCanceled, ran).ShouldBe((true, 0));

        async ValueTask Cancels()
        {
            await Task.Yield();
            await source.CancelAsync();
            source.Token.ThrowIfCancellationRequested();
        }

        ValueTask Counts()
        {
            ran++;
            return ValueTask.CompletedTask;
        }
    }

    [Fact]
    public void Function_TheQueueIsFull_IsRefusedAsOtherWorkIs()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass target = pool.GetClass("bounded");
        target.MaxQueued = 1;
        using (new WorkerGate(pool.Factory, 1))
        {
            Task waits = target.Run(static () => { });
            Task[] refused =
            [
                target.RunFor("a", static () => ValueTask.CompletedTask),
                target.RunFor("a", static () => ValueTask.FromResult(1)),
                target.RunRouted(1, static () => ValueTask.CompletedTask),
                target.RunRouted(1, static () => ValueTask.FromResult(1)),
            ];
            foreach (Task task in refused)
            {
                Should.Throw<WorkRefusedException>(() => Eventually.End(task)).Reason.ShouldBe(RefusalReason.QueueFull);
            }

            waits.IsCompleted.ShouldBeFalse();
        }
    }

    [Fact]
    public void Function_ThePoolIsDisposed_IsRefusedAtOnce()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass target = pool.GetClass("named");
        SequentialView view = target.AsSequential();
        pool.Dispose();
        Should.Throw<ObjectDisposedException>(() => { _ = target.RunFor("a", static () => ValueTask.CompletedTask); });
        Should.Throw<ObjectDisposedException>(() => { _ = target.RunRouted(1, static () => ValueTask.FromResult(1)); });
        Should.Throw<ObjectDisposedException>(() => { _ = view.Run(static () => ValueTask.CompletedTask); });
    }

    [Fact]
    public void Function_WithAResult_GivesIt()
    {
        WorkClass target = CreatePool().GetClass("named");
        SequentialView view = target.AsSequential();
        Eventually.Result(target.RunFor("a", () => Answers())).ShouldBe(42);
        Eventually.Result(target.RunFor("a", Answers)).ShouldBe(42);
        Eventually.Result(target.RunRouted(1, () => Answers())).ShouldBe(42);
        Eventually.Result(target.RunRouted(1, Answers)).ShouldBe(42);
        Eventually.Result(view.Run(() => Answers())).ShouldBe(42);
        Eventually.Result(view.Run(Answers)).ShouldBe(42);

        static async ValueTask<int> Answers()
        {
            await Task.Yield();
            return 42;
        }
    }

    [Fact]
    public void Function_Null_IsRefused()
    {
        WorkClass target = CreatePool().GetClass("named");
        SequentialView view = target.AsSequential();
        Should.Throw<ArgumentNullException>(() => target.RunFor("a", (Func<ValueTask>)null!)).ParamName.ShouldBe("function");
        Should.Throw<ArgumentNullException>(() => target.RunFor("a", (Func<ValueTask<int>>)null!)).ParamName.ShouldBe("function");
        Should.Throw<ArgumentNullException>(() => target.RunRouted(1, (Func<ValueTask>)null!)).ParamName.ShouldBe("function");
        Should.Throw<ArgumentNullException>(() => target.RunRouted(1, (Func<ValueTask<int>>)null!)).ParamName.ShouldBe("function");
        Should.Throw<ArgumentNullException>(() => view.Run((Func<ValueTask>)null!)).ParamName.ShouldBe("function");
        Should.Throw<ArgumentNullException>(() => view.Run((Func<ValueTask<int>>)null!)).ParamName.ShouldBe("function");
        Should.Throw<ArgumentException>(() => target.RunFor("", static () => ValueTask.CompletedTask)).ParamName.ShouldBe("tenant");
        Should.Throw<ArgumentException>(() => target.RunFor("", static () => ValueTask.FromResult(1))).ParamName.ShouldBe("tenant");
    }

    [Fact]
    public void Function_WithAResult_TheTaskHasIt()
    {
        WorkClass target = CreatePool().GetClass("named");
        Func<int> function = static () => 42;
        Func<Task<int>> asynchronous = static async () =>
        {
            await Task.Yield();
            return 42;
        };
        Task<int>[] all =
        [
            target.RunFor("a", function), target.RunRouted(1, function), target.RunFor("a", static () => 42), target.RunRouted(1, static () => 42),
            target.RunFor("a", asynchronous), target.RunRouted(1, asynchronous),
            target.RunFor("a", static async () => await Task.FromResult(42)), target.RunRouted(1, static async () => await Task.FromResult(42)),
        ];

        all.ShouldAllBe(static task => Eventually.Result(task) == 42);
        Func<int> failing = static () => throw new InvalidOperationException("mine");
        Should.Throw<InvalidOperationException>(() => Eventually.Result(target.RunFor("a", failing))).Message.ShouldBe("mine");
        Should.Throw<InvalidOperationException>(() => Eventually.Result(target.RunRouted(1, failing))).Message.ShouldBe("mine");
        Should.Throw<ArgumentNullException>(() => target.RunFor("a", (Func<int>)null!)).ParamName.ShouldBe("function");
        Should.Throw<ArgumentNullException>(() => target.RunRouted(1, (Func<int>)null!)).ParamName.ShouldBe("function");
        Should.Throw<ArgumentNullException>(() => target.RunFor("a", (Func<Task<int>>)null!)).ParamName.ShouldBe("function");
        Should.Throw<ArgumentNullException>(() => target.RunRouted(1, (Func<Task<int>>)null!)).ParamName.ShouldBe("function");
        Should.Throw<ArgumentException>(() => target.RunFor("", asynchronous)).ParamName.ShouldBe("tenant");
    }

    /// <summary>That it compiles is the test: no way to write a function is ambiguous.</summary>
    [Fact]
    public void Function_OfAnyKind_FindsOneOverload()
    {
        WorkClass target = CreatePool().GetClass("named");
        SequentialView view = target.AsSequential();
        int ran = 0;
        Action action = Acts;
        Func<Task> function = Works;
        Func<Task<int>> answer = Answers;
        Task[] all =
        [
            target.RunFor("a", () => { ran++; }), target.RunRouted(1, () => { ran++; }), view.Run(() => { ran++; }),
            target.RunFor("a", () => ran++), target.RunRouted(1, () => ran++), view.Run(() => ran++),
            target.RunFor("a", delegate { ran++; }), target.RunRouted(1, delegate { ran++; }), view.Run(delegate { ran++; }),
            target.RunFor("a", Acts), target.RunRouted(1, Acts), view.Run(Acts),
            target.RunFor("a", action), target.RunRouted(1, action), view.Run(action),
            target.RunFor("a", async () => await Works()), target.RunRouted(1, async () => await Works()), view.Run(async () => await Works()),
            target.RunFor("a", async () => { await Works(); }), target.RunRouted(1, async () => { await Works(); }), view.Run(async () => { await Works(); }),
            target.RunFor("a", async () => await Answers()), target.RunRouted(1, async () => await Answers()), view.Run(async () => await Answers()),
            target.RunFor("a", () => Works()), target.RunRouted(1, () => Works()), view.Run(() => Works()),
            target.RunFor("a", Works), target.RunRouted(1, Works), view.Run(Works),
            target.RunFor("a", function), target.RunRouted(1, function), view.Run(function),
            target.RunFor("a", () => Answers()), target.RunRouted(1, () => Answers()), view.Run(() => Answers()),
            target.RunFor("a", Answers), target.RunRouted(1, Answers), view.Run(Answers),
            target.RunFor("a", answer), target.RunRouted(1, answer), view.Run(answer),
            target.RunFor("a", ValueWorks), target.RunRouted(1, ValueWorks), view.Run(ValueWorks),
        ];
        Array.ForEach(all, static task => Eventually.End(task));

        Task[] failing =
        [
            target.RunFor("a", static () => throw new InvalidOperationException("mine")),
            target.RunRouted(1, static () => throw new InvalidOperationException("mine")),
            view.Run(static () => throw new InvalidOperationException("mine")),
        ];
        foreach (Task task in failing)
        {
            Should.Throw<InvalidOperationException>(() => Eventually.End(task)).Message.ShouldBe("mine");
        }

        void Acts() => ran++;

        static async Task Works() => await Task.Yield();

        static async Task<int> Answers()
        {
            await Task.Yield();
            return 42;
        }

        static async ValueTask ValueWorks() => await Task.Yield();
    }
}
