using System.Reflection;

namespace AdaptivePool.Tests;

public sealed class TenantTests : PoolTest
{
    [Fact]
    public void RunFor_OneTenantSendsAHundredTimesAsMuch_OthersComeInTheirTurn()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass target = pool.GetClass("reports");
        var order = new List<string>();
        List<Task> items = [];
        using (new WorkerGate(pool.Factory, 1))
        {
            items.AddRange(Enumerable.Range(0, 1_000).Select(_ => target.RunFor("loud", () => order.Add("loud"))));
            items.AddRange(Enumerable.Range(0, 10).Select(_ => target.RunFor("quiet", () => order.Add("quiet"))));
        }

        items.ForEach(static item => Eventually.End(item));
        order.LastIndexOf("quiet").ShouldBeLessThan(25, "each has one item in turn");
        order.Count.ShouldBe(1_010);
    }

    [Fact]
    public void RunFor_AwaitsAndFails_AsRunDoes()
    {
        WorkClass target = CreatePool().GetClass("reports");
        Eventually.End(target.RunFor("a", static async () => await Task.Yield()));
        Task failed = target.RunFor("a", static () => throw new InvalidOperationException("planned"));
        Should.Throw<InvalidOperationException>(() => failed.GetAwaiter().GetResult());
        using var cancelled = new CancellationTokenSource();
        cancelled.Cancel();
        Should.Throw<OperationCanceledException>(() => target.RunFor("a", static () => { }, cancelled.Token).GetAwaiter().GetResult());
    }

    /// <summary>As what Run starts: no other thread comes.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void RunFor_TheOnlyThreadWaitsForIt_RunsThere(bool isOfOtherClass)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass target = isOfOtherClass ? pool.GetClass("reports") : pool.DefaultClass;
        Eventually.Result(pool.Run(() => target.RunFor("a", static () => 7).Result)).ShouldBe(7);
        Eventually.End(pool.Run(() => target.RunFor("a", static () => { }).Wait()));
    }

    [Fact]
    public void RunFor_NoTenantOrNothingToRun_IsRefused()
    {
        WorkClass target = CreatePool().GetClass("reports");
        Should.Throw<ArgumentException>(() => target.RunFor("", static () => { }));
        Should.Throw<ArgumentException>(() => target.RunFor(null!, static () => { }));
        Should.Throw<ArgumentNullException>(() => target.RunFor("a", (Action)null!));
        Should.Throw<ArgumentNullException>(() => target.UnsafeQueueUserWorkItemFor("a", null!));
    }

    [Fact]
    public void RunFor_TheQueueIsFull_IsRefusedAsOtherWorkIs()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass target = pool.GetClass("reports");
        target.MaxQueued = 2;
        using (new WorkerGate(pool.Factory, 1))
        {
            Task[] items = [.. Enumerable.Range(0, 5).Select(i => target.RunFor($"{i}", static () => { }))];
            items.Count(static item => item.IsFaulted).ShouldBe(3);
        }
    }

    [Fact]
    public void RunFor_AWeightAndManyTenants_AllRun()
    {
        WorkClass target = CreatePool().GetClass("reports");
        target.Weight = 2;
        Task[] items = [.. Enumerable.Range(0, 5_000).Select(i => target.RunFor($"tenant {i % 700}", static () => { }))];
        Array.ForEach(items, static item => Eventually.End(item));
    }

    /// <summary>A debugger that has stopped all threads asks; it would have waited for one of them.</summary>
    [Fact]
    public void GetScheduledTasks_QueueOfTenantsIsHeld_SaysSoAndWaitsForNobody()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Task queued;
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            queued = pool.DefaultClass.RunFor("tenant", () => { });
            Scheduled(pool.Scheduler).ShouldBe([queued]);
            object lane = FieldOf(pool.DefaultClass.Core.Queue, "_tenants");
            lock (FieldOf(lane, "_lock"))
            {
                Task<Task[]> asked = Task.Run(() => Scheduled(pool.Scheduler));
                Should.Throw<TargetInvocationException>(() => Eventually.Result(asked)).InnerException.ShouldBeOfType<NotSupportedException>();
            }

            Scheduled(pool.Scheduler).ShouldBe([queued]);
        }

        Eventually.End(queued);

        static Task[] Scheduled(TaskScheduler scheduler)
        {
            MethodInfo method = typeof(TaskScheduler).GetMethod("GetScheduledTasks", BindingFlags.Instance | BindingFlags.NonPublic)!;
            return [.. (IEnumerable<Task>)method.Invoke(scheduler, null)!];
        }

        static object FieldOf(object owner, string name) =>
            owner.GetType().GetField(name, BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(owner)!;
    }
}
