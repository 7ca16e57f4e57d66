using AdaptivePool.Control;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Tests.Diagnostics;

public sealed class GuardedControllerTests
{
    private static readonly PoolSample s_sample = new() { Elapsed = TimeSpan.FromSeconds(1), Completions = 10, Target = 7, MinTarget = 1, MaxTarget = 9 };

    [Fact]
    public void Update_InnerThrows_KeepsTheSizeAndTellsOnce()
    {
        List<Exception> told = [];
        var guarded = new GuardedController(new Scripted(static () => throw new InvalidOperationException("bug")), told.Add);
        for (int i = 0; i < 3; i++)
        {
            SizeDecision decision = guarded.Update(s_sample);
            decision.Target.ShouldBe(7);
            decision.Trace.To.ShouldBe(7);
            guarded.Reinitialize(3, DecisionReason.ManualResize);
        }

        told.ShouldHaveSingleItem().Message.ShouldBe("bug");
    }

    [Fact]
    public void Update_DecisionWithoutATrace_KeepsTheSizeAndTellsOnce()
    {
        List<Exception> told = [];
        var guarded = new GuardedController(new Scripted(static () => default), told.Add);
        guarded.Update(s_sample).Target.ShouldBe(7);
        guarded.Update(s_sample).Trace.ShouldNotBeNull();
        told.ShouldHaveSingleItem().Message.ShouldContain("without a trace");
    }

    [Theory]
    [InlineData(99, 0)]
    [InlineData(0, 99)]
    [InlineData(-1, 0)]
    public void Update_ReasonThatIsNone_KeepsTheSizeAndTellsOnce(int reason, int ofTrace)
    {
        // It broke the look of all classes, at each look.
        List<Exception> told = [];
        var trace = new ControllerTrace { Reason = (DecisionReason)ofTrace };
        var guarded = new GuardedController(new Scripted(() => new(3, TimeSpan.FromSeconds(1), (DecisionReason)reason, trace)), told.Add);
        guarded.Update(s_sample).Target.ShouldBe(7);
        guarded.Update(s_sample).Reason.ShouldBe(DecisionReason.Hold);
        told.ShouldHaveSingleItem().Message.ShouldContain($"the reason {(reason == 0 ? ofTrace : reason)}, which is not defined");
    }

    [Fact]
    public void Update_InnerWorks_IsAsked()
    {
        var decision = new SizeDecision(4, TimeSpan.FromSeconds(2), DecisionReason.Hold, new ControllerTrace());
        new GuardedController(new Scripted(() => decision), static e => throw e).Update(s_sample).ShouldBe(decision);
    }

    [Fact]
    public void Create_FactoryThrows_KeepsTheSize()
    {
        List<Exception> told = [];
        GuardedController.Create(static () => throw new InvalidOperationException("factory"), told.Add).Update(s_sample).Target.ShouldBe(7);
        told.ShouldHaveSingleItem().Message.ShouldBe("factory");
    }

    [Fact]
    public void Create_FixedSize_IsLeftAsItIs()
    {
        var size = new FixedController(3);
        GuardedController.Create(() => size, static e => throw e).ShouldBeSameAs(size);
    }

    private sealed class Scripted(Func<SizeDecision> update) : IPoolController
    {
        public SizeDecision Update(in PoolSample sample) => update();

        public void Reinitialize(int target, DecisionReason reason)
        {
        }
    }
}
