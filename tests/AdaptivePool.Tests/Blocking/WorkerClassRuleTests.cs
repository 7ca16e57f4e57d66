using AdaptivePool.Blocking;
using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Blocking;

public sealed class WorkerClassRuleTests
{
    private static readonly WorkerObservation s_long =
        new(HasItem: true, InWait: false, Sleeps: false, ItemSeconds: 1, CpuShare: double.NaN, ThreadProbe.Unknown);

    [Fact]
    public void Classify_NoItem_IsIdle() => WorkerClassRule.Classify(s_long with { HasItem = false, Sleeps = true }).ShouldBe(WorkerState.Idle);

    [Fact]
    public void Classify_InTheHookOrAScope_IsBlockedWhateverElseIsSeen()
        => WorkerClassRule.Classify(s_long with { InWait = true, CpuShare = 1, KernelState = 'R' }).ShouldBe(WorkerState.BlockedManaged);

    [Fact]
    public void Classify_Sleeps_IsBlockedManaged() => WorkerClassRule.Classify(s_long with { Sleeps = true }).ShouldBe(WorkerState.BlockedManaged);

    [Fact]
    public void Classify_YoungItem_IsRunning()
        => WorkerClassRule.Classify(s_long with { ItemSeconds = 0.002, KernelState = 'S' }).ShouldBe(WorkerState.Running);

    [Theory]
    [InlineData(0.95, 'R', WorkerState.Busy)]
    [InlineData(0.95, '\0', WorkerState.Busy)]
    [InlineData(0.4, 'R', WorkerState.Preempted)]
    [InlineData(0.0, 'R', WorkerState.Preempted)]
    [InlineData(0.4, 'S', WorkerState.BlockedKernel)]
    [InlineData(0.0, 'D', WorkerState.BlockedKernel)]
    [InlineData(0.05, '\0', WorkerState.BlockedKernel)]
    [InlineData(0.4, '\0', WorkerState.Running)]
    [InlineData(double.NaN, 'S', WorkerState.BlockedKernel)]
    [InlineData(double.NaN, 'R', WorkerState.Running)]
    [InlineData(double.NaN, '\0', WorkerState.Running)]
    public void Classify_LongItem_IsToldByCpuAndKernel(double share, char state, WorkerState expected) =>
        WorkerClassRule.Classify(s_long with { CpuShare = share, KernelState = state }).ShouldBe(expected);

    [Theory]
    [InlineData(0.2, '\0', true)]
    [InlineData(0.2, 'S', true)]
    [InlineData(2.0, '\0', false)]
    [InlineData(2.0, 'S', false)]
    [InlineData(2.0, 'R', true)]
    public void IsTelling_LongWindow_OnlyWhereTheWorkerIsRunnable(double seconds, char state, bool expected)
        => WorkerClassRule.IsTelling(seconds, state).ShouldBe(expected);

    [Theory]
    [InlineData(0.2, 0, false, true)]
    [InlineData(0.2, 0.05, false, false)]
    [InlineData(0.1, 0, false, false)]
    [InlineData(0.1, 0, true, true)]
    [InlineData(0.1, 0.05, true, false)]
    [InlineData(double.NaN, double.NaN, false, false)]
    [InlineData(double.NaN, double.NaN, true, false)]
    public void IsStill_NoCpuForLong_OrSinceItBlocked(double seconds, double share, bool wasBlocked, bool expected) =>
        WorkerClassRule.IsStill(seconds, share, wasBlocked).ShouldBe(expected);

    [Fact]
    public void NeedsKernelState_OnlyWhereTheCpuLeavesItOpen()
    {
        WorkerClassRule.NeedsKernelState(s_long).ShouldBeTrue();
        WorkerClassRule.NeedsKernelState(s_long with { CpuShare = 0.5 }).ShouldBeTrue();
        WorkerClassRule.NeedsKernelState(s_long with { CpuShare = 0.9 }).ShouldBeFalse();
        WorkerClassRule.NeedsKernelState(s_long with { InWait = true }).ShouldBeFalse();
        WorkerClassRule.NeedsKernelState(s_long with { ItemSeconds = 0.001 }).ShouldBeFalse();
    }
}
