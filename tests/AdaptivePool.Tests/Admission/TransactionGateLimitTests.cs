using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionGateLimitTests
{
    [Fact]
    public void MaxTransactions_Grown_LetsWaitersInAtOnce()
    {
        using var test = new TestGate(1);
        test.Enter();
        Task<RateLimitLease>[] waits = [test.Wait(), test.Wait(), test.Wait()];

        test.Gate.PermitLimit = 3;

        waits[0].Granted();
        waits[1].Granted();
        waits[2].IsCompleted.ShouldBeFalse();
        test.Gate.PermitLimit.ShouldBe(3);
    }

    [Fact]
    public void MaxTransactions_Shrunk_LetsLeasesEndAndNobodyInUntilThereIsRoom()
    {
        using var test = new TestGate(3);
        TransactionLease[] inside = [test.Enter(), test.Enter(), test.Enter()];

        test.Gate.PermitLimit = 1;

        Task<RateLimitLease> wait = test.Wait();
        test.Gate.GetStatistics()!.CurrentAvailablePermits.ShouldBe(0);
        inside[0].Dispose();
        inside[1].Dispose();
        wait.IsCompleted.ShouldBeFalse();
        inside[2].Dispose();
        wait.Granted();
    }

    [Fact]
    public void MaxTransactions_ToZeroAndBack_OpensAndCloses()
    {
        using var test = new TestGate(1);
        TransactionLease inside = test.Enter();
        Task<RateLimitLease> wait = test.Wait();

        test.Gate.PermitLimit = 0;
        wait.Granted().Dispose();
        TransactionLease[] more = [test.Enter(), test.Enter()];

        test.Gate.PermitLimit = 1;
        test.Gate.AttemptAcquire().Reason().ShouldBe(RefusalReason.GateFull);
        more[0].Dispose();
        more[1].Dispose();
        test.Gate.AttemptAcquire().Reason().ShouldBe(RefusalReason.GateFull);
        inside.Dispose();
        test.Enter();
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1_000_001)]
    public void MaxTransactions_OutOfRange_NamesValueAndRange(int limit)
    {
        using var test = new TestGate(1);
        Should.Throw<ArgumentOutOfRangeException>(()
            => test.Gate.PermitLimit = limit).Message.ShouldStartWith($"PermitLimit is '{limit}'; allowed: 0 (no limit) to 1000000.");
        test.Gate.PermitLimit.ShouldBe(1);
    }
}
