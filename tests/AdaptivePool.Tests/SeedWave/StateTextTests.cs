using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class StateTextTests
{
    [Fact]
    public void Tell_EachState_IsItsName()
    {
        foreach (ControllerState state in Enum.GetValues<ControllerState>())
        {
            DecisionReason none = DecisionReason.Initial;
            StateText.Tell(state, ref none).ShouldBe(state.ToString());
        }
    }

    [Fact]
    public void Tell_Cause_IsToldOnce()
    {
        DecisionReason cause = DecisionReason.WorkloadChange;
        StateText.Tell(ControllerState.Usual, ref cause).ShouldBe("Usual after WorkloadChange");
        StateText.Tell(ControllerState.Usual, ref cause).ShouldBe("Usual");
    }
}
