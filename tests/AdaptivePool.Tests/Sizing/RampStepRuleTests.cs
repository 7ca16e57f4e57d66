using AdaptivePool.Control;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class RampStepRuleTests
{
    private static readonly ClassSizeSettings s_settings = new() { StartLimit = 2, MaxLimit = 1_000 };
    private readonly ScriptedClass _class = new() { BlockedShare = 0.8 };

    [Theory]
    [InlineData(1, 2)]
    [InlineData(2, 4)]
    [InlineData(4, 8)]
    [InlineData(7, 8)]
    public void Next_SmallSizeCpuFull_Doubles(int verified, int next)
    {
        (_class.OwnCores, _class.IdleCores) = (2, 0);

        Next(verified, 0.002).ShouldBe(new SizeProposal(next, DecisionReason.Ramp));
    }

    [Fact]
    public void Next_SmallSizeCpuFullAndBlockedShareUnknown_NotPastTheLimitOfHogs()
    {
        (_class.OwnCores, _class.IdleCores, _class.BlockedShare) = (2, 0, double.NaN);

        Size(2, 0.002).ShouldBe(3);
        Next(3, 0.002).ShouldBeNull();
    }

    [Fact]
    public void Next_WaitsLong_FourTimesAtMost()
    {
        _class.BlockedShare = 0.999;

        Next(2, 0.02).ShouldBe(new SizeProposal(8, DecisionReason.Ramp));
        Size(32, 0.02).ShouldBe(128);
    }

    [Fact]
    public void Next_ServerBehindShortItems_TwiceAtMost()
    {
        Size(8, 0.002).ShouldBe(16);
    }

    [Fact]
    public void Next_KneeInSight_ModelJump()
    {
        (_class.OwnCores, _class.IdleCores, _class.BlockedShare) = (1.25, 0.75, 0.99);
        _class.Limit = 128;

        // 205 keep the cores busy on average, 1.5 times the square root of that more keep them busy nearly always.
        Next(128, 0.02).ShouldBe(new SizeProposal(227, DecisionReason.ModelJump));
    }

    [Fact]
    public void Next_CompilingKeepsTheCoresBusy_WaitersSeeOnlyTheirOwnCpu()
    {
        (_class.OwnCores, _class.IdleCores, _class.BlockedShare, _class.Limit) = (1.6, 0.4, 0.999, 8);

        Size(8, 0.02).ShouldBe(32);
    }

    [Fact]
    public void Next_ServerAtFullCpu_Rests()
    {
        (_class.OwnCores, _class.IdleCores) = (1.9, 0.1);

        Next(8, 0.002).ShouldBeNull();
    }

    [Fact]
    public void Next_WaitersWhileOthersFillTheCpu_DoubleAndThenTakeTheRest()
    {
        (_class.OwnCores, _class.IdleCores, _class.CpuShare, _class.BlockedShare, _class.Limit) = (0.2, 0, 1, 0.999, 100);

        Size(100, 0.05).ShouldBe(200);
        _class.SleepingShare = 1;
        Size(100, 0.05).ShouldBe(400);

        _class.Queued = 30;
        Size(100, 0.05).ShouldBe(130);
        _class.Queued = 5;
        Size(100, 0.05).ShouldBe(400);
        _class.SleepingShare = 0;
        Next(100, 0.05).ShouldBeNull();
    }

    // A database of the same cores has them full at its best size, whoever counts as using them.
    [Theory]
    [InlineData(0.02, 0)]
    [InlineData(0.3, 32)]
    public void Next_ServerWhileTheCpuIsFull_StepsOnlyWhereItIsSlow(double service, int size)
    {
        (_class.OwnCores, _class.IdleCores, _class.CpuShare, _class.BlockedShare, _class.Limit) = (0.2, 0, 1, 0.95, 16);

        Size(16, service, waits: false).ShouldBe(size);
    }

    // More callers take from the others more than they add.
    [Theory]
    [InlineData(8, 0, 32)]
    [InlineData(24, 0, 64)]
    [InlineData(40, 0, 64)]
    [InlineData(64, 0, 0)]
    [InlineData(8, 0.3, 16)]
    public void Next_ServerThatOthersFill_LargeStepsUpToTheShare(int verified, double idleCores, int size)
    {
        (_class.OwnCores, _class.IdleCores, _class.BlockedShare, _class.Limit) = (0.2, idleCores, 0.95, verified);

        Size(verified, 0.03, waits: false, isCrowded: true).ShouldBe(size);
    }

    [Theory]
    [InlineData(8, true, 512)]
    [InlineData(8, false, 16)]
    [InlineData(32, true, 128)]
    public void Next_WishOfTheUser_IsTheFirstStepOfWhoWaits(int verified, bool waits, int size)
    {
        (_class.BlockedShare, _class.Limit, _class.Queued) = (0.999, verified, 900);
        ClassSizeSettings wished = s_settings with { Wished = 512 };

        Next(verified, 0.02, waits, settings: wished)
            .ShouldBe(new SizeProposal(size, DecisionReason.Ramp));
    }

    [Fact]
    public void Next_WaitersFillTheCpuThemselves_TriesOneAndAHalfTimesTheSize()
    {
        (_class.OwnCores, _class.IdleCores, _class.BlockedShare, _class.Limit) = (1.95, 0.05, 0.985, 200);

        Next(200, 0.02).ShouldBe(new SizeProposal(300, DecisionReason.Ramp));
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(3, 13)]
    public void Next_Demand_IsTheMost(int queued, int size)
    {
        (_class.Queued, _class.BlockedShare, _class.Limit) = (queued, 0.999, 10);

        Size(10, 0.02).ShouldBe(size);
    }

    [Fact]
    public void Next_Bounds_NeverPassed()
    {
        _class.BlockedShare = 0.999;
        Size(900, 0.02).ShouldBe(1_000);
        Next(1_000, 0.02).ShouldBeNull();
        Next(3, 0.02, waits: true, mayGrow: false).ShouldBeNull();
        Size(2, 0.02, waits: true, mayGrow: false).ShouldBe(3);
    }

    [Fact]
    public void Next_ModelOf4Point7_RoundsUpToFive()
    {
        ClassSizeSettings one = new() { StartLimit = 1 };
        (_class.OwnCores, _class.IdleCores, _class.Cores) = (0.85, 0.15, 1);

        Size(4, 0.002, waits: false, settings: one).ShouldBe(5);
    }

    [Theory]
    [InlineData(-0.36, 2, 4, false, false)]
    [InlineData(-0.35, 2, 4, false, true)]
    [InlineData(-0.28, 4, 8, false, true)]
    [InlineData(0.34, 16, 32, false, false)]
    [InlineData(0.35, 16, 32, false, true)]
    [InlineData(0.17, 16, 32, true, false)]
    [InlineData(0.18, 16, 32, true, true)]
    public void Keeps_Gain_ByTheSizeOfTheStepAndWhetherOnlyTheGainCanTell(double gain, int from, double to, bool isUnclear, bool keeps) =>
        RampStepRule.Keeps(gain, from, to, isUnclear, ClassSizeSettings.SmallSizeOf(2)).ShouldBe(keeps);

    private SizeProposal? Next(
        int verified, double service, bool? waits = null, bool mayGrow = true, bool isCrowded = false, ClassSizeSettings? settings = null)
    {
        KeptSize kept = new(verified);
        kept.Prove(verified, verified / service, service, isCrowded);
        ClassObservation seen = _class.Observation;
        return RampStepRule.Next(seen, _class.Machine, kept, waits ?? KindRule.WaitsLong(seen, service), mayGrow, settings ?? s_settings);
    }

    private int Size(
        int verified, double service, bool? waits = null, bool mayGrow = true, bool isCrowded = false, ClassSizeSettings? settings = null) =>
        Next(verified, service, waits, mayGrow, isCrowded, settings)?.Limit ?? 0;
}
