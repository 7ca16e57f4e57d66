using AdaptivePool.Sample.Bank.Threads;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

public sealed class PoolReporterTests
{
    [Fact]
    public void Read_WrittenLine_IsTheReport()
    {
        PoolReport report = new("AdaptivePool", 12, 3, 9, 40, 12, 1_000, 4);

        PoolReporter.Read(PoolReporter.Write(report)).ShouldBe(report);
    }

    [Fact]
    public void Read_OtherLine_IsNone() => PoolReporter.Read("Now listening on: http://127.0.0.1:5000").ShouldBeNull();
}
