using AdaptivePool.Sample.Bank.Threads;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

public sealed class AdaptiveBankTests(BankFixture bank) : BankTests(bank), IClassFixture<BankFixture>
{
    [Fact]
    public async Task GetThreads_WithThePool_CountsItsThreadsAndWork()
    {
        ThreadReport report = await GetThreadsAsync();

        report.Adaptive.ShouldBeGreaterThan(0);
        report.Completed.ShouldNotBeNull().ShouldBeGreaterThan(0);
    }

    [Fact]
    public async Task GetPool_WithThePool_TellsWhatItsThreadsDo()
    {
        PoolReport report = await GetPoolAsync();

        report.Pool.ShouldBe("AdaptivePool");
        report.Threads.ShouldBeGreaterThan(0);
        report.Running.ShouldNotBeNull();
        report.Blocked.ShouldNotBeNull();
        report.Target.ShouldNotBeNull().ShouldBeGreaterThan(0);
        report.Completed.ShouldBeGreaterThan(0);
    }
}
