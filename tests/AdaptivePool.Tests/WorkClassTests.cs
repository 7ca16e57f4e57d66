namespace AdaptivePool.Tests;

public sealed class WorkClassTests : PoolTest
{
    [Fact]
    public void GetClass_SameName_IsTheSameClass()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass partner = pool.GetClass("partner");
        partner.Name.ShouldBe("partner");
        partner.Pool.ShouldBeSameAs(pool);
        pool.GetClass("partner").ShouldBeSameAs(partner);
        pool.GetClass("database").ShouldNotBeSameAs(partner);
    }

    [Theory]
    [InlineData("")]
    [InlineData("  ")]
    public void GetClass_EmptyName_IsRefused(string name) => Should.Throw<ArgumentException>(() => CreatePool().GetClass(name));

    [Fact]
    public void GetClass_NameWithControlCharacters_IsRefusedAndShownWithoutThem() => Should.Throw<ArgumentException>(() => CreatePool().GetClass("a\r\nb"))
        .Message.ShouldStartWith(@"The class name is 'a\u000d\u000ab'; allowed: any text that is not empty, without control characters");

    [Fact]
    public void GetClass_NameOfTheWorkInFlight_IsRefused()
    {
        AdaptiveThreadPool pool = CreatePool();
        Should.Throw<ArgumentException>(() => pool.GetClass("(in flight)"))
            .Message.ShouldStartWith("The class name is '(in flight)'; allowed: any text that is not empty, without control characters, except '(in flight)'.");
        pool.GetSnapshot().Classes.Count(static of => of.Name == "(in flight)").ShouldBe(1);
    }

    [Fact]
    public void GetClass_NullName_IsRefused() => Should.Throw<ArgumentNullException>(() => CreatePool().GetClass(null!));

    [Fact]
    public void GetClass_MoreThanMaxClasses_ShareTheDefaultClass()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxClasses = 3 });
        WorkClass[] classes = [.. Enumerable.Range(0, 50).Select(i => pool.GetClass("class " + i))];
        classes.Where(c => c != pool.DefaultClass).Distinct().Count().ShouldBeLessThanOrEqualTo(3);
        classes.Where(c => c == pool.DefaultClass).Count().ShouldBeGreaterThanOrEqualTo(47);
        pool.GetClass("class 0").ShouldBeSameAs(classes[0]);
        classes.Select((c, i) => c.Run(() => i)).Select(t => Eventually.Result(t)).Sum().ShouldBe(1_225);
    }

    [Fact]
    public void GetClass_MoreThanMaxClasses_IsToldOnce()
    {
        // A bound that was set there held for all work without a class, and nothing said so.
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxClasses = 2 });
        List<string> told = [];
        pool.Warned += (_, message) => told.Add(message);
        pool.GetClass("first");
        told.ShouldBeEmpty("it is the second, after the default class");
        pool.GetClass("nightly");
        pool.GetClass("weekly");
        told.ShouldHaveSingleItem().ShouldStartWith("There are 2 work classes, the default one included, and MaxClasses allows no more: 'nightly'");
    }

    [Fact]
    public void GetClass_ManyThreadsAtOnce_AgreeOnOneClass()
    {
        AdaptiveThreadPool pool = CreatePool();
        var found = new System.Collections.Concurrent.ConcurrentBag<WorkClass>();
        Thread[] threads = [.. Enumerable.Range(0, 8).Select(_ => new Thread(() => found.Add(pool.GetClass("race"))))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());
        found.Distinct().Count().ShouldBe(1);
    }

    [Fact]
    public void Run_AllOverloads_RunInTheClass()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass partner = pool.GetClass("partner");
        Eventually.End(partner.Run(() => { }));
        Eventually.Result(partner.Run(() => 2)).ShouldBe(2);
        Eventually.End(partner.Run(async () => await Task.Yield()));
        Eventually.Result(partner.Run(async () =>
        {
            await Task.Yield();
            return 4;
        })).ShouldBe(4);
        Eventually.Result(partner.Factory.StartNew(() => TaskScheduler.Current)).ShouldBeSameAs(partner.Scheduler);
        Eventually.Be(() => partner.GetSnapshot().Completed >= 5, "root items of a class count for it");
        partner.GetSnapshot().Name.ShouldBe("partner");
    }

    [Fact]
    public void UnsafeQueueUserWorkItem_InAClass_RunsUnderItsContext()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass partner = pool.GetClass("partner");
        SynchronizationContext? seen = null;
        using var ran = new ManualResetEventSlim();
        partner.UnsafeQueueRootWork(new CallbackItem(() => { seen = SynchronizationContext.Current; ran.Set(); }));
        Eventually.Set(ran, "the item must run");
        seen.ShouldBeSameAs(partner.SynchronizationContext);
    }

    [Fact]
    public void Classes_OneWithEveryWorkerBlocked_DoesNotDelayTheOther()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass stuck = pool.GetClass("stuck");
        WorkClass quick = pool.GetClass("quick");
        using var open = new ManualResetEventSlim();
        Task[] blocked = [.. Enumerable.Range(0, 50).Select(_ => stuck.Run(open.Wait))];
        Task[] short1 = [.. Enumerable.Range(0, 200).Select(_ => quick.Run(() => { }))];
        Array.ForEach(short1, t => Eventually.End(t, "a class has workers of its own"));
        open.Set();
        Array.ForEach(blocked, t => Eventually.End(t));
    }

    [Fact]
    public void Limit_HeldByAFixedController_IsKeptPerClass()
    {
        AdaptiveThreadPool pool = CreateFixedPool(2);
        WorkClass a = pool.GetClass("a");
        WorkClass b = pool.GetClass("b");
        var most = new int[2];
        var running = new int[2];
        var guard = new object();
        List<Task> tasks = [];
        for (int i = 0; i < 40; i++)
        {
            int which = i % 2;
            tasks.Add((which == 0 ? a : b).Run(() =>
            {
                lock (guard)
                {
                    most[which] = Math.Max(most[which], ++running[which]);
                }

                Thread.Sleep(2);
                lock (guard)
                {
                    running[which]--;
                }
            }));
        }

        tasks.ForEach(t => Eventually.End(t));
        most.ShouldAllBe(m => m <= 2);
        a.GetSnapshot().Limit.ShouldBe(2);
    }

    [Fact]
    public void Factory_HasTheOptionsOfTaskFactory()
    {
        // A factory that lets no child attach lost the exceptions of children, and its FromAsync threw.
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "factories" });
        WorkClass partner = pool.GetClass("partner");
        foreach (TaskFactory factory in (TaskFactory[])[pool.Factory, partner.Factory, partner.AsSequential().Factory])
        {
            (factory.CreationOptions, factory.ContinuationOptions, factory.CancellationToken)
                .ShouldBe((Task.Factory.CreationOptions, Task.Factory.ContinuationOptions, Task.Factory.CancellationToken));
            Eventually.Result(factory.FromAsync(static (callback, state) =>
            {
                var source = new TaskCompletionSource<int>(state);
                source.SetResult(3);
                callback(source.Task);
                return source.Task;
            }, static result => ((Task<int>)result).Result, null)).ShouldBe(3);
        }
    }

    [Fact]
    public void Run_ThousandsOfClasses_AllRunInEach()
    {
        const int Classes = 2_000;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "many", MaxClasses = Classes });
        int runs = 0;
        WorkClass[] classes = [.. Enumerable.Range(0, Classes - 1).Select(i => pool.GetClass($"{i}"))];

        // The second time round each class has been without work for some looks of the sizing thread.
        for (int round = 0; round < 2; round++)
        {
            Task[] items = [.. classes.Select(it => it.Run(() => Interlocked.Increment(ref runs)))];
            Eventually.End(Task.WhenAll(items), "every class has a turn");
        }

        runs.ShouldBe(2 * classes.Length);
        Eventually.Be(pool, static it => it.Queued == 0 && it.Active == 0 && it.Completed == 2 * (Classes - 1), "nothing is left");
        classes.ShouldAllBe(static it => it.GetSnapshot().Completed == 2);
    }
}
