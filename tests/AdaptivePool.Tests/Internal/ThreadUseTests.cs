using System.Diagnostics;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Internal;

public sealed class ThreadUseTests
{
    [Theory]
    [InlineData(40_000, 7, 0.004, 40e-6, "it was put aside, and did not wait")]
    [InlineData(40_000, 8, 0.004, 0.004, "it waited once")]
    [InlineData(90_000, 7, 40e-6, 40e-6, "the clocks are not read at one moment")]
    public void RunSince_WaitsForACoreAreLeftOut(long cpuNanoseconds, long waits, double passed, double expected, string why)
        => new ThreadUse(1_000_000 + cpuNanoseconds, waits).RunSince(new(1_000_000, 7), passed).ShouldBe(expected, 1e-9, why);

    [Fact]
    public void RunSince_SystemDoesNotTell_AllCounts() => new ThreadUse(0, -1).RunSince(new(0, -1), 0.004).ShouldBe(0.004);

    [Fact]
    public void Own_ThreadThatSleeps_HasWaited()
    {
        if (!NativeMethods.HasSystemCalls)
        {
            ThreadUse.Own().Waits.ShouldBe(-1);
            return;
        }

        ThreadUse before = ThreadUse.Own();
        Thread.Sleep(20);
        ThreadUse.Own().Waits.ShouldBeGreaterThan(before.Waits);
        ThreadUse.Own().RunSince(before, 0.02).ShouldBe(0.02);
    }

    [Fact]
    public void Own_ThreadThatComputes_UsesCpu()
    {
        if (!NativeMethods.HasSystemCalls)
        {
            return;
        }

        // A collection, or code that is compiled, may make it wait: one look of many without is enough.
        Eventually.Be(
            static () =>
            {
                ThreadUse before = ThreadUse.Own();
                long began = Stopwatch.GetTimestamp();
                Thread.SpinWait(20_000);
                double passed = Stopwatch.GetElapsedTime(began).TotalSeconds;
                ThreadUse after = ThreadUse.Own();
                return after.Waits == before.Waits && after.RunSince(before, passed) is > 0 and var ran && ran <= passed;
            },
            "what computes does not wait");
    }
}
