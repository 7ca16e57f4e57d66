using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Internal;
using AdaptivePool.Tests.Internal;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionGateQueueTests
{
    [Theory]
    [InlineData(QueueProcessingOrder.OldestFirst, "0 1 2")]
    [InlineData(QueueProcessingOrder.NewestFirst, "2 1 0")]
    public void Order_OfEqualPriorities_IsAsConfigured(QueueProcessingOrder order, string expected)
    {
        using var test = new TestGate(1, o => o.QueueProcessingOrder = order);
        TransactionLease inside = test.Enter();
        Served(inside, test.Wait(), test.Wait(), test.Wait()).ShouldBe(expected);
    }

    [Fact]
    public void Order_Priorities_HighestFirst()
    {
        using var test = new TestGate(1);
        TransactionLease inside = test.Enter();
        Served(inside, test.Wait(TransactionPriority.Low), test.Wait(), test.Wait(TransactionPriority.High), test.Wait(TransactionPriority.High))
            .ShouldBe("2 3 1 0");
    }

    [Fact]
    public void Order_LowThatHasWaitedForTheKickUp_GoesBeforeHigh()
    {
        using var test = new TestGate(1);
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> low = test.Wait(TransactionPriority.Low);
        test.Pass(1_000);
        Served(inside, test.Wait(TransactionPriority.High), low).ShouldBe("1 0");
        test.Gate.GetSnapshot().KickUps.ShouldBe(1);
    }

    /// <summary>It has let in both, and no other thread tells them.</summary>
    [Fact]
    public void Admit_ThreadIsInterruptedAtTheLockOfTheirToken_BothAreAnswered()
    {
        using var test = new TestGate(1);
        using var source = new HeldSource();
        using TransactionLease inside = test.Enter();
        Task<RateLimitLease>[] waiting = [.. Enumerable.Range(0, 2).Select(_ => test.Gate.AcquireAsync(default, source.Token).AsTask())];
        source.Hold();
        var thread = new Thread(() =>
        {
            try
            {
                test.Gate.PermitLimit = 3;
                Thread.CurrentThread.Join(TimeSpan.FromMilliseconds(1));
            }
            catch (ThreadInterruptedException)
            {
                // That of its own wait, or the answers are lost.
            }
        });
        thread.Start();
        HeldSource.InterruptAtTheLock(() => thread);
        source.LetGo();
        thread.Join(Eventually.Patience).ShouldBeTrue();
        foreach (Task<RateLimitLease> one in waiting)
        {
            Eventually.Result(one).Dispose();
        }
    }

    [Fact]
    public void QueueTimeout_ThreadRefusedWhenTheWaitsBegan_IsAskedForAgainByEachTransactionThatEnds()
    {
        using var test = new TestGate(2);
        TransactionLease first = test.Enter();
        using TransactionLease second = test.Enter();

        // As one that the system refuses: it has not begun, and does not.
        var refused = new TimerThread<RealSync>("refused", static () => null);
        refused.Dispose();
        test.Gate.Core.Monitor = refused;
        Task<RateLimitLease> next = test.Wait();
        test.Wait();
        test.Gate.Core.Monitor = new TimerThread<RealSync>("gate", test.Gate.Look);
        first.Dispose();
        next.IsCompleted.ShouldBeTrue();
        test.Gate.Core.Monitor.IsStarted.ShouldBeTrue("another one still waits, and its wait is to end in time");
    }

    [Fact]
    public void QueueTimeout_Over_RefusesTheOldestAndKeepsTheOthers()
    {
        using var test = new TestGate(1, static o => o.QueueTimeout = TimeSpan.FromSeconds(2));
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> early = test.Wait();
        test.Pass(1_500).ShouldBe(TimeSpan.FromSeconds(0.5));
        Task<RateLimitLease> late = test.Wait(TransactionPriority.High);

        test.Pass(500).ShouldBe(TimeSpan.FromSeconds(1.5));

        early.Refused().ShouldBe(RefusalReason.QueueTimeout);
        late.IsCompleted.ShouldBeFalse();
        inside.Dispose();
        late.Granted();
        test.Gate.Look().ShouldBeNull();
    }

    [Fact]
    public void OverloadDelay_StandingQueue_RefusesAfterTheDelayAndOnlyThen()
    {
        using var test = new TestGate(1, static o => o.OverloadDelay = TimeSpan.FromMilliseconds(5));
        test.Enter();
        Task<RateLimitLease> burst = test.Wait();
        test.Pass(99);
        burst.IsCompleted.ShouldBeFalse();
        test.Pass(1);
        burst.Refused().ShouldBe(RefusalReason.Overload);

        // The queue is empty again: the next one has the whole interval.
        Task<RateLimitLease> next = test.Wait();
        test.Pass(50);
        next.IsCompleted.ShouldBeFalse();
    }

    [Fact]
    public void QueueLimit_Zero_RefusesAtOnce()
    {
        using var test = new TestGate(1, static o => o.QueueLimit = 0);
        TransactionLease inside = test.Enter();
        test.Ask().Refused().ShouldBe(RefusalReason.QueueFull);
        inside.Dispose();
        test.Ask().Granted();
    }

    [Fact]
    public void QueueLimit_NewestFirst_MakesTheOldestOfTheLeastGiveUp()
    {
        using var test = new TestGate(1, static o => (o.QueueLimit, o.QueueProcessingOrder) = (2, QueueProcessingOrder.NewestFirst));
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> oldest = test.Wait();
        Task<RateLimitLease> high = test.Wait(TransactionPriority.High);

        Task<RateLimitLease> newest = test.Wait();
        test.Ask(TransactionPriority.Low).Refused().ShouldBe(RefusalReason.QueueFull);

        oldest.Refused().ShouldBe(RefusalReason.QueueFull);
        inside.Dispose();
        high.Granted().Dispose();
        newest.Granted();
    }

    [Fact]
    public void QueueLimit_OneAndNewestFirst_LosesNoPermit()
    {
        using var test = new TestGate(1, static o => (o.QueueLimit, o.QueueProcessingOrder) = (1, QueueProcessingOrder.NewestFirst));
        TransactionLease inside = test.Enter();
        test.Wait();
        Task<RateLimitLease> newest = test.Wait();
        inside.Dispose();
        newest.Granted().Dispose();
        test.Enter();
    }

    [Fact]
    public async Task Cancellation_WhileWaiting_LeavesNoTrace()
    {
        using var test = new TestGate(1, static o => o.QueueLimit = 1);
        using var cancellation = new CancellationTokenSource();
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> wait = test.Wait(token: cancellation.Token);

        await cancellation.CancelAsync();

        (await Should.ThrowAsync<OperationCanceledException>(() => wait)).CancellationToken.ShouldBe(cancellation.Token);
        GateSnapshot snapshot = test.Gate.GetSnapshot();
        (snapshot.Queued, snapshot.Cancelled, test.Gate.GetStatistics()!.TotalFailedLeases).ShouldBe((0, 1, 0));
        test.Gate.Look().ShouldBeNull();
        Task<RateLimitLease> next = test.Wait();
        inside.Dispose();
        next.Granted().Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public async Task Cancellation_BeforeTheCall_NeitherEntersNorWaits()
    {
        using var test = new TestGate(1);
        await Should.ThrowAsync<OperationCanceledException>(async () => await test.Gate.AcquireAsync(default, new CancellationToken(canceled: true)));
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public async Task Cancellation_AfterBeingLetIn_TakesNothingAway()
    {
        using var test = new TestGate(1);
        using var cancellation = new CancellationTokenSource();
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> wait = test.Wait(token: cancellation.Token);
        inside.Dispose();

        await cancellation.CancelAsync();

        wait.Granted();
        test.Gate.GetSnapshot().Held.ShouldBe(1);
    }

    [Fact]
    public async Task Monitor_OnRealTime_EndsAWait()
    {
        using var gate = new TransactionGate(
            new TransactionGateOptions { PermitLimit = 1, QueueTimeout = TimeSpan.FromMilliseconds(20), FlowsWithContext = false });
        using RateLimitLease inside = gate.AttemptAcquire();

        // Twice, so that the monitor has slept in between.
        for (int i = 0; i < 2; i++)
        {
            using RateLimitLease refused = await gate.AcquireAsync().AsTask().WaitAsync(Eventually.Patience);
            refused.Reason().ShouldBe(RefusalReason.QueueTimeout);
        }
    }

    /// <summary>The order in which waits are served by one permit.</summary>
    private static string Served(TransactionLease inside, params Task<RateLimitLease>[] waits)
    {
        List<int> order = [];
        inside.Dispose();
        while (order.Count < waits.Length)
        {
            int served = Enumerable.Range(0, waits.Length).Single(i => waits[i].IsCompleted && !order.Contains(i));
            order.Add(served);
            waits[served].Granted().Dispose();
        }

        return string.Join(' ', order);
    }

    [Fact]
    public async Task FastWay_WaitCancelledAndThePermitReturned_IsOpenAgain()
    {
        using var test = new TestGate(1);
        using var cancellation = new CancellationTokenSource();
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> wait = test.Wait(token: cancellation.Token);
        await cancellation.CancelAsync();
        wait.IsCanceled.ShouldBeTrue();
        inside.Dispose();

        using TransactionPass pass = test.Gate.AttemptPass();

        pass.IsAcquired.ShouldBeTrue();
    }

    [Fact]
    public async Task FastWay_WaitCancelledAndTheLimitRaised_IsOpenAgain()
    {
        using var test = new TestGate(1);
        using var cancellation = new CancellationTokenSource();
        test.Enter();
        Task<RateLimitLease> wait = test.Wait(token: cancellation.Token);
        await cancellation.CancelAsync();
        wait.IsCanceled.ShouldBeTrue();
        test.Gate.PermitLimit = 2;

        using TransactionPass pass = test.Gate.AttemptPass();

        pass.IsAcquired.ShouldBeTrue();
    }

    [Fact]
    public void RetryAfter_AfterAQuietTime_IsThatOfTheLastRate()
    {
        using var test = new TestGate(1, static o => o.QueueLimit = 1);
        for (int i = 0; i < 40; i++)
        {
            TransactionLease inside = test.Enter();
            Task<RateLimitLease> wait = test.Wait();
            test.Pass(100);
            inside.Dispose();
            wait.Granted().Dispose();
        }

        test.Pass(TimeSpan.FromHours(1).TotalMilliseconds);
        test.Enter();
        RetryAfter(test.Gate.AttemptAcquire()).ShouldBeInRange(TimeSpan.FromMilliseconds(90), TimeSpan.FromMilliseconds(110));
        test.Wait();
        RetryAfter(test.Ask().Result).ShouldBeInRange(TimeSpan.FromMilliseconds(180), TimeSpan.FromMilliseconds(220));

        static TimeSpan RetryAfter(RateLimitLease refusal)
        {
            refusal.TryGetMetadata(MetadataName.RetryAfter, out TimeSpan retryAfter).ShouldBeTrue();
            return retryAfter;
        }
    }

    /// <summary>Of ten seconds in which somebody waits, the slot is held in nine; in the last one its permit is on the way.</summary>
    [Fact]
    public void BusyWhileWaiting_PermitOnItsWay_IsIdle()
    {
        using var test = new TestGate(1);
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> wait = test.Wait();
        test.Pass(9_000);
        test.Clock.Asked = () => test.Clock.Asked = () => test.Clock.Advance(TimeSpan.FromSeconds(1));

        inside.Dispose();

        wait.Granted();
        test.Gate.GetSnapshot().BusyWhileWaiting.ShouldBe(0.9, 1e-9);
    }

    [Fact]
    public void BusyWhileWaiting_WhileSomebodyStillWaits_CountsUntilNow()
    {
        using var test = new TestGate(1);
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> first = test.Wait();
        Task<RateLimitLease> second = test.Wait();
        test.Pass(9_000);
        test.Clock.Asked = () => test.Clock.Asked = () => test.Clock.Advance(TimeSpan.FromSeconds(1));
        inside.Dispose();
        first.Granted();
        second.IsCompleted.ShouldBeFalse();

        test.Clock.Advance(TimeSpan.FromSeconds(10));

        test.Gate.GetSnapshot().BusyWhileWaiting.ShouldBe(0.95, 1e-9, "the slot was idle for one of twenty seconds");
    }

    /// <summary>What stands in the queue is used again: many waits at once cost no more memory than as many one after the other.</summary>
    [Fact]
    public void Waiting_ManyAtOnce_UsesTheMemoryOfThoseBefore()
    {
        const int Waits = 100;
        const int LeastOfOne = 64;
        using var test = new TestGate(1, static o => o.QueueLimit = Waits);
        var waits = new Task<RateLimitLease>[Waits];

        void Wait(int atOnce)
        {
            for (int done = 0; done < Waits; done += atOnce)
            {
                // As many leases in all, however many wait at once.
                for (int i = 1; i < atOnce; i++)
                {
                    test.Enter().Dispose();
                }

                TransactionLease inside = test.Enter();
                for (int i = 0; i < atOnce; i++)
                {
                    waits[done + i] = test.Wait();
                }

                inside.Dispose();
                for (int i = 0; i < atOnce; i++)
                {
                    waits[done + i].Result.Dispose();
                }
            }
        }

        long before = GC.GetAllocatedBytesForCurrentThread();
        Wait(Waits);
        long first = GC.GetAllocatedBytesForCurrentThread() - before;

        // In this order: code that is optimized meanwhile allocates less.
        long alone = Allocation.Of(() => Wait(1));
        long together = Allocation.Of(() => Wait(Waits));
        together.ShouldBeLessThanOrEqualTo(alone);
        together.ShouldBeLessThan(first - (Waits * LeastOfOne));
    }
}
