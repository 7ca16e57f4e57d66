using System.Threading.Channels;

namespace AdaptivePool.Tests.Contracts;

/// <summary>
/// Decision 17: what runs by Run sees TaskScheduler.Default, as by Task.Run; what runs by a factory or a scheduler sees that scheduler. From the start to the
/// end, whatever was awaited.
/// </summary>
public sealed class AmbientSchedulerTests : PoolTest
{
    private readonly AdaptiveThreadPool _pool;

    public AmbientSchedulerTests() => _pool = CreatePool();

    public static TheoryData<string, string> Places
    {
        get
        {
            var data = new TheoryData<string, string>();
            foreach (string start in new[] { "run", "run async", "class run", "class run async", "work item", "context", "factory", "factory async",
                "class factory", "class factory async" })
            {
                foreach (string what in new[] { "nothing", "yield", "completed", "by another item", "delay", "void method" })
                {
                    // A function that its task does not return may go on inside whoever ends what it awaits: docs/conformance.md, deviations.
                    if (what != "by another item" || start is not ("factory" or "class factory"))
                    {
                        data.Add(start, what);
                    }
                }
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Places))]
    public void Current_AfterAnAwait_IsThatOfTheStart(string start, string what)
    {
        WorkClass partner = _pool.GetClass("partner");
        TaskScheduler expected = start switch
        {
            "factory" or "factory async" => _pool.Scheduler,
            "class factory" or "class factory async" => partner.Scheduler,
            _ => TaskScheduler.Default,
        };
        for (int round = 0; round < 20; round++)
        {
            var seen = new TaskCompletionSource<(TaskScheduler, TaskScheduler, bool)>();
            switch (start)
            {
                case "run":
                    _ = _pool.Run(() => { _ = Look(seen, what); });
                    break;
                case "run async":
                    _ = _pool.Run(() => Look(seen, what));
                    break;
                case "class run":
                    _ = partner.Run(() => { _ = Look(seen, what); });
                    break;
                case "class run async":
                    _ = partner.Run(() => Look(seen, what));
                    break;
                case "work item":
                    _pool.UnsafeQueueUserWorkItem(new CallbackItem(() => { _ = Look(seen, what); }), preferLocal: false);
                    break;
                case "context":
                    partner.SynchronizationContext.Post(_ => { _ = Look(seen, what); }, null);
                    break;
                case "factory":
                    _ = _pool.Factory.StartNew(() => Look(seen, what) is null);
                    break;
                case "factory async":
                    _ = _pool.Factory.StartNew(() => Look(seen, what));
                    break;
                case "class factory":
                    _ = partner.Factory.StartNew(() => { _ = Look(seen, what); });
                    break;
                default:
                    _ = partner.Factory.StartNew(() => Look(seen, what));
                    break;
            }

            (TaskScheduler current, TaskScheduler startNew, bool isHere) = Eventually.Result(seen.Task);
            current.ShouldBeSameAs(expected);
            startNew.ShouldBeSameAs(expected);
            isHere.ShouldBeTrue();
        }
    }

    [Fact]
    public void Current_TaskOfAFactoryInlinedInRun_ComesBackToTheFactory()
    {
        WorkClass partner = _pool.GetClass("partner");
        (TaskScheduler after, TaskScheduler outside) = Eventually.Result(_pool.Run(() =>
        {
            TaskScheduler after = partner.Factory.StartNew(async () =>
            {
                await Task.Yield();
                return TaskScheduler.Current;
            }).Unwrap().Result;
            return (after, TaskScheduler.Current);
        }));
        after.ShouldBeSameAs(partner.Scheduler);
        outside.ShouldBeSameAs(TaskScheduler.Default);
    }

    /// <summary>What comes back without a context comes as a task without a result, and awaits again in it.</summary>
    [Theory]
    [InlineData("yield", true)]
    [InlineData("yield", false)]
    [InlineData("task", true)]
    [InlineData("channel", true)]
    [InlineData("channel", false)]
    public void Current_AfterAnAwaitInATaskWithoutAResult_IsThatOfTheStart(string what, bool isLongRunning)
    {
        TaskFactory factory = _pool.GetClass("partner").Factory;
        var channel = Channel.CreateUnbounded<int>();
        Task<TaskScheduler> all = factory.StartNew(Function, isLongRunning ? TaskCreationOptions.LongRunning : TaskCreationOptions.None).Unwrap();
        Eventually.Result(all).ShouldBeSameAs(factory.Scheduler);

        async Task<TaskScheduler> Function()
        {
            SynchronizationContext.SetSynchronizationContext(null);
            switch (what)
            {
                case "yield":
                    await Task.Yield();
                    break;
                case "task":
                    await Task.Delay(1);
                    break;
                default:
                    ValueTask<int> reading = channel.Reader.ReadAsync();
                    _ = Task.Delay(1).ContinueWith(_ => channel.Writer.TryWrite(0), TaskScheduler.Default);
                    await reading;
                    break;
            }

            return await AwaitWhatATaskEnds();
        }

        async Task<TaskScheduler> AwaitWhatATaskEnds()
        {
            var source = new TaskCompletionSource();
            Task<TaskScheduler> after = After(source.Task);
            await factory.StartNew(source.SetResult);
            return await after;
        }

        static async Task<TaskScheduler> After(Task task)
        {
            await task;
            return TaskScheduler.Current;
        }
    }

    private async Task Look(TaskCompletionSource<(TaskScheduler, TaskScheduler, bool)> seen, string what)
    {
        switch (what)
        {
            case "yield":
                await Task.Yield();
                break;
            case "completed":
                await Task.CompletedTask;
                break;
            case "delay":
                await Task.Delay(1);
                break;
            case "by another item":
                var source = new TaskCompletionSource();
                _ = _pool.Factory.StartNew(source.SetResult);
                await source.Task;
                break;
            case "void method":
                var end = new TaskCompletionSource();
                Void(end);
                await end.Task;
                break;
        }

        // The scheduler must be that of this place, and not of where a continuation of the task below runs.
        TaskScheduler current = TaskScheduler.Current;
        bool isHere = AdaptiveThreadPool.Current == _pool;
        TaskScheduler started = await Task.Factory.StartNew(static () => TaskScheduler.Current);
        seen.SetResult((current, started, isHere));

        static async void Void(TaskCompletionSource end)
        {
            await Task.Yield();
            end.SetResult();
        }
    }
}
