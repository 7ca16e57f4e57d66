using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class ServerRuleTests
{
    private readonly ServerRule _rule = new(new() { Cores = 2 });
    private readonly ScriptedClass _class = new();

    [Fact]
    public void MayHaveServer_NothingKnown_True() => _rule.MayHaveServer.ShouldBeTrue();

    [Fact]
    public void MayHaveServer_Sleepers_False()
    {
        Run(0.5, 1);

        _rule.MayHaveServer.ShouldBeFalse();
    }

    [Fact]
    public void MayHaveServer_SleepersThatAllWaitForACoreForAMoment_StaysFalse()
    {
        Run(1, 1);

        Run(0.1, 0);

        _rule.MayHaveServer.ShouldBeFalse();
    }

    [Fact]
    public void MayHaveServer_SleepersThatTurnToAServer_True()
    {
        Run(1, 1);

        Run(1, 0);

        _rule.MayHaveServer.ShouldBeTrue();
    }

    private void Run(double seconds, double sleeping)
    {
        _class.SleepingShare = sleeping;
        for (int i = 0; i < seconds * 100; i++)
        {
            _class.Wait(0.01);
            _rule.Observe(_class.Observation);
        }
    }
}
