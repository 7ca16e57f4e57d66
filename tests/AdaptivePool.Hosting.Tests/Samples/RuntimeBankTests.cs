using AdaptivePool.Sample.Bank.Threads;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

public sealed class RuntimeBankTests(RuntimeBankFixture bank) : BankTests(bank), IClassFixture<RuntimeBankFixture>
{
    [Fact]
    public async Task GetThreads_WithoutThePool_HasNoneOfIts()
    {
        ThreadReport report = await GetThreadsAsync();

        report.Adaptive.ShouldBe(0);
        report.Completed.ShouldBeNull();
        report.Runtime.ShouldBeGreaterThan(0);
    }

    [Fact]
    public async Task GetPool_WithoutThePool_TellsWhatTheRuntimeTells()
    {
        PoolReport report = await GetPoolAsync();

        report.Pool.ShouldBe("the runtime's pool");
        report.Threads.ShouldBeGreaterThan(0);
        report.Blocked.ShouldBeNull();
        report.Target.ShouldBeNull();
    }
}
