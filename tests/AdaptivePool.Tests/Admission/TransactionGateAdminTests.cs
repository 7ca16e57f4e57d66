using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

/// <summary>Whoever mends what blocks a gate enters it, sees who is inside, and can end it.</summary>
public sealed class TransactionGateAdminTests
{
    [Fact]
    public void Admin_FullGate_EntersAndIsCountedApart()
    {
        using var test = new TestGate(1);
        test.Enter();

        TransactionLease admin = test.Ask(TransactionPriority.Admin).Granted();

        admin.IsPrivileged.ShouldBeTrue();
        GateSnapshot snapshot = test.Gate.GetSnapshot();
        (snapshot.Held, snapshot.Privileged, snapshot.AdmittedPrivileged, snapshot.Admitted).ShouldBe((1, 1, 1, 2));
        admin.Dispose();
        test.Gate.GetSnapshot().Privileged.ShouldBe(0);
        test.Gate.AttemptAcquire().Reason().ShouldBe(RefusalReason.GateFull);
    }

    [Fact]
    public void Bypass_Predicate_LetsInWhomItNames()
    {
        using var test = new TestGate(1, static o => o.Bypass = static request => request.Name == "health");
        test.Enter();
        test.Enter(new TransactionRequest { Name = "health" }).IsPrivileged.ShouldBeTrue();
        test.Gate.AttemptAcquire(new TransactionRequest { Name = "order" }).Reason().ShouldBe(RefusalReason.GateFull);
    }

    [Fact]
    public void GetLeases_ShowsWhoIsInsideOldestFirst()
    {
        using var test = new TestGate(2);
        test.Enter(new TransactionRequest { Name = "report", Priority = TransactionPriority.Low, Partition = "north" });
        test.Clock.Advance(TimeSpan.FromSeconds(60));
        TransactionLease young = test.Enter(new TransactionRequest { Name = "order" });
        TransactionLease admin = test.Enter(new TransactionRequest { Name = "repair", Priority = TransactionPriority.Admin });
        test.Clock.Advance(TimeSpan.FromSeconds(1));

        IReadOnlyList<TransactionLeaseInfo> leases = test.Gate.GetLeases();
        leases.Select(static lease => (lease.Name, lease.Age.TotalSeconds)).ShouldBe([("report", 61), ("order", 1), ("repair", 1)], ignoreOrder: true);
        leases[0].ShouldBe(new TransactionLeaseInfo { Id = leases[0].Id, Name = "report", Partition = "north", Priority = TransactionPriority.Low,
            Age = TimeSpan.FromSeconds(61), IsPrivileged = false });
        leases.Single(static lease => lease.IsPrivileged).Id.ShouldBe(admin.Id);
        young.Age.ShouldBe(TimeSpan.FromSeconds(1));
        test.Gate.GetLeases(olderThan: TimeSpan.FromSeconds(30)).Select(static lease => lease.Name).ShouldBe(["report"]);
        young.Dispose();
        test.Gate.GetLeases().Count.ShouldBe(2);
    }

    [Fact]
    public void GetLeases_ManyOnManyThreads_ShowsEachOnceWithItsOwnNumber()
    {
        using var test = new TestGate(0);
        var leases = new System.Collections.Concurrent.ConcurrentBag<TransactionLease>();
        Parallel.For(0, 500, _ => leases.Add(test.Enter()));
        test.Gate.GetLeases().Select(static lease => lease.Id).Distinct().Count().ShouldBe(500);
        Parallel.ForEach(leases.Take(250), static lease => lease.Dispose());
        test.Gate.GetLeases().Select(static lease => lease.Id).ShouldBe(leases.Skip(250).Select(static lease => lease.Id), ignoreOrder: true);
    }

    [Fact]
    public void Cancel_ByNumber_CancelsTheTokenAndTheOwnerGivesThePermitBack()
    {
        using var test = new TestGate(1);
        TransactionLease lease = test.Enter();
        CancellationToken token = lease.CancellationToken;
        using CancellationTokenRegistration registration = token.Register(lease.Dispose);

        test.Gate.Cancel(test.Gate.GetLeases()[0].Id).ShouldBeTrue();

        token.IsCancellationRequested.ShouldBeTrue();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
        test.Gate.Cancel(lease.Id).ShouldBeFalse();
    }

    [Fact]
    public void Cancel_OnceMore_RunsNoCallbacksAndSaysThatItIsInside()
    {
        using var test = new TestGate(1);
        TransactionLease lease = test.Enter();
        int calls = 0;
        using CancellationTokenRegistration registration = lease.CancellationToken.Register(() => calls++);

        test.Gate.Cancel(lease.Id).ShouldBeTrue();
        test.Gate.Cancel(lease.Id).ShouldBeTrue();

        calls.ShouldBe(1);
    }

    [Fact]
    public void Cancel_BeforeTheTokenWasAskedFor_IsNotForgotten()
    {
        using var test = new TestGate(1);
        TransactionLease lease = test.Enter();
        test.Gate.Cancel(lease.Id).ShouldBeTrue();
        lease.CancellationToken.IsCancellationRequested.ShouldBeTrue();
    }

    [Fact]
    public void Stalled_NoTransactionEndsWhileSomebodyWaits_IsRaisedOnceWithTheLeases()
    {
        using var test = new TestGate(1, static o => o.StallAfter = TimeSpan.FromSeconds(5));
        List<GateStalledEventArgs> alarms = [];
        test.Gate.Stalled += (_, alarm) => alarms.Add(alarm);
        TransactionLease inside = test.Enter(new TransactionRequest { Name = "report" });
        test.Pass(100_000);
        alarms.ShouldBeEmpty();
        Task<RateLimitLease> wait = test.Wait();

        test.Pass(4_999).ShouldBe(TimeSpan.FromMilliseconds(1));
        alarms.ShouldBeEmpty();
        test.Pass(1).ShouldBe(TimeSpan.FromSeconds(25));
        test.Pass(1_000);

        GateStalledEventArgs alarm = alarms.ShouldHaveSingleItem();
        (alarm.Duration, alarm.Queued, alarm.Leases.Single().Name).ShouldBe((TimeSpan.FromSeconds(5), 1, "report"));
        test.Wait();
        inside.Dispose();
        wait.Granted();
        test.Pass(5_000);
        (alarms.Count, test.Gate.GetSnapshot().Stalls).ShouldBe((2, 2));
    }

    [Fact]
    public void Stalled_HandlerThrows_IsCountedAndTheWaitsStillEnd()
    {
        using var test = new TestGate(1, static o => (o.StallAfter, o.QueueTimeout) = (TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2)));
        int told = 0;
        test.Gate.Stalled += static (_, _) => throw new InvalidOperationException("handler");
        test.Gate.Stalled += (_, _) => told++;
        test.Enter();
        Task<RateLimitLease> wait = test.Wait();
        test.Pass(1_000);
        (test.Gate.GetSnapshot().HandlerFaults, told).ShouldBe((1, 1), "the handlers behind it are called");
        test.Pass(1_000);
        wait.Refused().ShouldBe(RefusalReason.QueueTimeout);
    }

    [Fact]
    public void Stalled_AdministratorRaisesTheLimit_TrafficResumes()
    {
        using var test = new TestGate(1, static o => o.StallAfter = TimeSpan.FromSeconds(5));
        test.Gate.Stalled += static (gate, _) => ((TransactionGate)gate!).PermitLimit = 2;
        test.Enter();
        Task<RateLimitLease> wait = test.Wait();
        test.Pass(5_000);
        wait.Granted();
    }

    [Fact]
    public void Stalled_WaitersGiveUpBeforeTheAlarm_IsRaisedAllTheSame()
    {
        // Each wait ends just when the alarm is due, and nobody waits in between.
        using var test = new TestGate(1, static o => (o.StallAfter, o.QueueTimeout) = (TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(5)));
        List<GateStalledEventArgs> alarms = [];
        test.Gate.Stalled += (_, alarm) => alarms.Add(alarm);
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> wait = test.Wait();
        test.Pass(5_000).ShouldBeNull();
        wait.Refused().ShouldBe(RefusalReason.QueueTimeout);
        (alarms.Single().Duration, alarms.Single().Queued).ShouldBe((TimeSpan.FromSeconds(5), 1));

        // A permit that comes back while nobody waits is progress.
        inside.Dispose();
        inside = test.Enter();
        test.Pass(60_000);
        wait = test.Wait();
        test.Pass(4_999);
        alarms.Count.ShouldBe(1);
        inside.Dispose();
        wait.Granted();
    }

    [Fact]
    public void Stalled_SparseWaiters_TheClockRunsOnWhileNobodyWaits()
    {
        using var test = new TestGate(1, static o => (o.StallAfter, o.QueueTimeout) = (TimeSpan.FromSeconds(30), TimeSpan.FromSeconds(5)));
        test.Enter();
        for (int i = 0; i < 3; i++)
        {
            test.Wait();
            test.Pass(5_000);
            test.Pass(5_000);
            test.Gate.GetSnapshot().Stalls.ShouldBe(0);
        }

        test.Wait();
        test.Gate.Look();

        test.Gate.GetSnapshot().Stalls.ShouldBe(1);
    }

    [Fact]
    public void Stalled_TheProcessStoodStill_IsNotRaisedBeforeTransactionsCouldEnd()
    {
        using var test = new TestGate(1, static o => (o.StallAfter, o.QueueTimeout) = (TimeSpan.FromSeconds(5), TimeSpan.FromHours(1)));
        List<GateStalledEventArgs> alarms = [];
        test.Gate.Stalled += (_, alarm) => alarms.Add(alarm);
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> wait = test.Wait();
        test.Pass(1_000).ShouldBe(TimeSpan.FromSeconds(4));

        test.Pass(70_000).ShouldBe(TimeSpan.FromSeconds(1), "it looks again soon");
        alarms.ShouldBeEmpty();
        inside.Dispose();
        wait.Granted();
        test.Wait();
        test.Gate.Look();
        alarms.ShouldBeEmpty();

        // What is still as it was when all had their turn is stalled.
        test.Pass(70_000);
        test.Pass(999);
        alarms.ShouldBeEmpty();
        test.Pass(1);
        alarms.Single().Duration.ShouldBe(TimeSpan.FromSeconds(71));
    }

    [Theory]
    [InlineData(5_000, true)]
    [InlineData(5_100, true)]
    [InlineData(5_101, false)]
    [InlineData(5_800, false)]
    public void Stalled_LookIsALittleLate_IsRaisedASecondLaterButNotPostponedAgain(int after, bool isRaised)
    {
        using var test = new TestGate(1, static o => (o.StallAfter, o.QueueTimeout) = (TimeSpan.FromSeconds(5), TimeSpan.FromHours(1)));
        test.Enter();
        test.Wait();
        test.Pass(500);
        test.Pass(after - 500);
        test.Gate.GetSnapshot().Stalls.ShouldBe(isRaised ? 1 : 0);

        // A machine that makes each look late is not one without an alarm.
        test.Pass(1_500);
        test.Gate.GetSnapshot().Stalls.ShouldBe(1);
    }

    [Fact]
    public void GetLeases_WhileTransactionsComeAndGo_NeverShowsMoreThanTheLimit()
    {
        // Many that stay, on threads of their own, so that a look takes long enough for one to end and another to begin meanwhile.
        const int Owners = 32;
        const int OfEach = 200;
        const int Limit = (Owners * OfEach) + 1;
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = Limit, FlowsWithContext = false });
        for (int i = 0; i < Owners; i++)
        {
            RunOnThread(() => Enumerable.Range(0, OfEach).ToList().ForEach(_ => gate.AttemptAcquire().IsAcquired.ShouldBeTrue())).Join();
        }

        bool isOver = false;
        Thread[] passes = [.. Enumerable.Range(0, 4).Select(_ => RunOnThread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                gate.AttemptAcquire().Dispose();
            }
        }))];
        int most = Enumerable.Range(0, 300).Max(_ => gate.GetLeases().Count);
        Volatile.Write(ref isOver, true);

        Array.TrueForAll(passes, static thread => thread.Join(Eventually.Patience)).ShouldBeTrue();
        most.ShouldBeInRange(Limit - 1, Limit);

        static Thread RunOnThread(Action action)
        {
            var thread = new Thread(() => action()) { IsBackground = true };
            thread.Start();
            return thread;
        }
    }
}
