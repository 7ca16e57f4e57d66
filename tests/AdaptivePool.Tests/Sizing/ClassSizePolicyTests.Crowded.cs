using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <content>Others fill the server that the class waits for.</content>
public partial class ClassSizePolicyTests
{
    // Seven of eight workers wait for a server that another class fills; what they have held for less than 0.05 s is not long.
    [Theory]
    [InlineData(0.06, 10, 64)]
    [InlineData(0.04, 10, 8)]
    [InlineData(0.06, 0, 8)]
    public void Decide_OthersFillTheServer_GrowsByWhatItsWorkersAreFoundIn(double age, int others, int size)
    {
        ClassSizePolicy policy = new(s_settings with { StartLimit = 8 }, null);
        (_class.Limit, _class.BlockedShare, _class.OwnCores, _class.IdleCores) = (8, 0.97, 0.2, 0);
        for (int i = 0; i < 2_400; i++)
        {
            double rate = 13_000.0 * _class.Limit / (256 + _class.Limit);
            int items = (int)(rate * 0.005 * (i % 2 == 0 ? 1.9 : 0.1));
            _class.OthersCompleted += others * items;
            _class.Complete(0.005, items, 0.02 * (i % 2 == 0 ? 0.1 : 1.9));
            (_class.Held, _class.HeldSince) = (_class.Limit - 1, _class.Now - age);
            _class.Adopt(policy.Decide(_class.Observation, _class.Machine).Limit);
        }

        policy.Verified.ShouldBe(size);
    }
}
