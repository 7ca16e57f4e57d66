using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionGateTests
{
    [Fact]
    public void AttemptAcquire_UpToTheLimit_SucceedsThenSaysFull()
    {
        using var test = new TestGate(2);
        TransactionLease first = test.Enter();
        test.Enter();

        using RateLimitLease refused = test.Gate.AttemptAcquire();
        refused.Reason().ShouldBe(RefusalReason.GateFull);
        first.Dispose();
        test.Enter();
    }

    [Fact]
    public async Task Acquire_NoPermits_SaysWhetherOneIsFreeAndTakesNone()
    {
        using var test = new TestGate(1);
        using (RateLimitLease free = test.Gate.AttemptAcquire(0))
        {
            free.IsAcquired.ShouldBeTrue();
            (await test.Gate.AcquireAsync(0)).IsAcquired.ShouldBeTrue();
            test.Gate.GetSnapshot().Held.ShouldBe(0);
        }

        TransactionLease held = test.Enter();
        test.Gate.AttemptAcquire(0).Reason().ShouldBe(RefusalReason.GateFull);
        Task<RateLimitLease> wait = test.Gate.AcquireAsync(0).AsTask();
        wait.IsCompleted.ShouldBeFalse();

        held.Dispose();

        (await wait.WaitAsync(Eventually.Patience)).IsAcquired.ShouldBeTrue();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
        Should.Throw<ArgumentOutOfRangeException>(() => test.Gate.AttemptAcquire(2));
        test.Gate.Dispose();
        Should.Throw<ObjectDisposedException>(() => test.Gate.AttemptAcquire(0));
    }

    [Fact]
    public void Acquire_TokenIsCancelled_EndsTheWaitAndLeavesTheQueue()
    {
        using var test = new TestGate(1);
        TransactionLease held = test.Enter();
        using var source = new CancellationTokenSource();
        Task wait = Task.Factory.StartNew(
            () => test.Gate.Acquire(default, source.Token), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Eventually.Be(() => test.Gate.GetSnapshot().Queued == 1, "it waits");

        source.Cancel();

        Should.Throw<OperationCanceledException>(() => wait.WaitAsync(Eventually.Patience).GetAwaiter().GetResult()).CancellationToken.ShouldBe(source.Token);
        held.Dispose();
        (test.Gate.GetSnapshot().Queued, test.Gate.GetSnapshot().Held).ShouldBe((0, 0));
    }

    [Fact]
    public async Task AcquireAsync_FullGate_WaitsUntilALeaseEnds()
    {
        using var test = new TestGate(1);
        TransactionLease first = test.Enter();
        Task<RateLimitLease> wait = test.Wait();

        first.Dispose();

        using RateLimitLease second = await wait.WaitAsync(Eventually.Patience);
        second.IsAcquired.ShouldBeTrue();
        test.Gate.GetSnapshot().Held.ShouldBe(1);
    }

    [Fact]
    public void AcquireAsync_NoLimit_LetsEverybodyIn()
    {
        using var test = new TestGate(0);
        List<TransactionLease> leases = [.. Enumerable.Range(0, 100).Select(_ => test.Ask().Granted())];
        test.Gate.GetStatistics()!.CurrentAvailablePermits.ShouldBe(int.MaxValue);
        leases.ForEach(static lease => lease.Dispose());
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public async Task Acquire_MoreThanOnePermit_IsAClearError()
    {
        using var test = new TestGate(4);
        Should.Throw<ArgumentOutOfRangeException>(() => test.Gate.AttemptAcquire(2)).Message.ShouldContain("exactly one permit");
        (await Should.ThrowAsync<ArgumentOutOfRangeException>(async () => await test.Gate.AcquireAsync(2))).Message.ShouldContain("exactly one permit");
    }

    [Fact]
    public void Acquire_UnknownPriority_IsAClearError()
    {
        using var test = new TestGate(4);
        Should.Throw<ArgumentOutOfRangeException>(() => test.Gate.AttemptAcquire(new TransactionRequest { Priority = (TransactionPriority)9 }));
        Should.Throw<ArgumentOutOfRangeException>(() => test.Gate.AcquireAsync(new TransactionRequest { Priority = (TransactionPriority)9 }).AsTask());
    }

    [Fact]
    public void Dispose_LeaseTwiceAndOnSeveralThreads_GivesOnePermitBack()
    {
        using var test = new TestGate(2);
        TransactionLease lease = test.Enter();
        test.Enter();

        Parallel.For(0, 8, _ => lease.Dispose());
        lease.Dispose();

        test.Gate.GetSnapshot().Held.ShouldBe(1);
        test.Enter();
        test.Gate.AttemptAcquire().Reason().ShouldBe(RefusalReason.GateFull);
    }

    [Fact]
    public void Refusal_QueueFull_CarriesReasonPhraseAndRetryAfter()
    {
        using var test = new TestGate(1, static o => o.QueueLimit = 1);
        test.Enter();
        test.Wait();

        RateLimitLease refused = test.Ask().Result;
        refused.Reason().ShouldBe(RefusalReason.QueueFull);
        refused.TryGetMetadata(MetadataName.ReasonPhrase, out string? phrase).ShouldBeTrue();
        phrase.ShouldBe("Too many transactions wait at the gate.");
        refused.TryGetMetadata(MetadataName.RetryAfter, out TimeSpan retryAfter).ShouldBeTrue();
        retryAfter.ShouldBe(TimeSpan.FromMilliseconds(100));
        refused.MetadataNames.Order().ShouldBe(["REASON_PHRASE", "REFUSAL_REASON", "RETRY_AFTER"]);
        refused.TryGetMetadata("unknown", out _).ShouldBeFalse();
    }

    [Fact]
    public void Refusal_RetryAfter_FollowsTheDrainRate()
    {
        using var test = new TestGate(1, static o => o.QueueLimit = 20);
        TransactionLease inside = test.Enter();
        Queue<Task<RateLimitLease>> waits = new(Enumerable.Range(0, 20).Select(_ => test.Wait()));
        for (int i = 0; i < 100; i++)
        {
            test.Clock.Advance(TimeSpan.FromSeconds(0.5));
            inside.Dispose();
            inside = waits.Dequeue().Granted();
            waits.Enqueue(test.Wait());
        }

        // Two a second end, and twenty wait already.
        test.Ask().Result.TryGetMetadata(MetadataName.RetryAfter, out TimeSpan retryAfter).ShouldBeTrue();
        retryAfter.TotalSeconds.ShouldBe(10, 2.5);
    }

    [Fact]
    public void GetStatistics_CountsPermitsQueueSuccessesAndFailures()
    {
        using var test = new TestGate(2, static o => o.QueueLimit = 1);
        test.Enter();
        test.Enter();
        test.Wait();
        test.Ask().Refused().ShouldBe(RefusalReason.QueueFull);
        test.Gate.AttemptAcquire().Reason().ShouldBe(RefusalReason.GateFull);

        RateLimiterStatistics statistics = test.Gate.GetStatistics()!;
        (statistics.CurrentAvailablePermits, statistics.CurrentQueuedCount, statistics.TotalSuccessfulLeases, statistics.TotalFailedLeases)
            .ShouldBe((0, 1, 2, 2));
        test.Gate.GetSnapshot().Refused[RefusalReason.QueueFull].ShouldBe(1);
        test.Gate.GetSnapshot().Refused[RefusalReason.Overload].ShouldBe(0);
    }

    [Fact]
    public void IdleDuration_Always_IsUnknown()
    {
        using var test = new TestGate(1);
        test.Gate.IdleDuration.ShouldBeNull();
    }

    [Fact]
    public async Task Dispose_WithWaiters_RefusesThemAndLaterCallsThrow()
    {
        var test = new TestGate(1);
        TransactionLease inside = test.Enter();
        Task<RateLimitLease>[] waits = [test.Wait(), test.Wait(TransactionPriority.Low)];

        await test.Gate.DisposeAsync();

        waits.ShouldAllBe(static wait => wait.Refused() == RefusalReason.Disposed);
        waits[0].Result.TryGetMetadata(MetadataName.RetryAfter, out _).ShouldBeFalse();
        await Should.ThrowAsync<ObjectDisposedException>(async () => await test.Gate.AcquireAsync());
        Should.Throw<ObjectDisposedException>(() => test.Gate.AttemptAcquire());
        inside.Dispose();
        test.Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public async Task Chained_WithPeers_WorksAsAnyLimiter()
    {
        using var test = new TestGate(1);
        using var plain = new ConcurrencyLimiter(new ConcurrencyLimiterOptions { PermitLimit = 5, QueueLimit = 1 });
        await using RateLimiter both = RateLimiter.CreateChained(plain, test.Gate);

        RateLimitLease first = await both.AcquireAsync();
        both.AttemptAcquire().IsAcquired.ShouldBeFalse();
        first.Dispose();
        both.AttemptAcquire().IsAcquired.ShouldBeTrue();
    }

    [Fact]
    public async Task DisposeAsync_SomebodyWaits_RefusesIt()
    {
        using var test = new TestGate(1);
        using TransactionLease inside = test.Enter();
        Task<RateLimitLease> wait = test.Wait();
        await test.Gate.DisposeAsync();
        (await wait.WaitAsync(Eventually.Patience)).IsAcquired.ShouldBeFalse();
    }

    [Fact]
    public void RefusedException_OfNothing_IsAClearError()
    {
        using var test = new TestGate(1);
        using TransactionLease lease = test.Enter();
        Should.Throw<ArgumentNullException>(() => TransactionRefusedException.From(null!, lease)).ParamName.ShouldBe("gate");
        Should.Throw<ArgumentNullException>(() => TransactionRefusedException.From(test.Gate, null!)).ParamName.ShouldBe("refusal");
    }
}
