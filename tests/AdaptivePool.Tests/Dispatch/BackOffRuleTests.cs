using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

public sealed class BackOffRuleTests
{
    [Fact]
    public void Wait_MoreRefusals_DoublesUpToASecond() =>
        Enumerable.Range(1, 10).Select(static refusals => BackOffRule.Wait(refusals).TotalMilliseconds)
            .ShouldBe([10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000]);

    [Fact]
    public void Wait_VeryMany_DoesNotOverflow() => BackOffRule.Wait(int.MaxValue).ShouldBe(TimeSpan.FromSeconds(1));
}
