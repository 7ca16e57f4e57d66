using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class SampleHistoryTests
{
    [Fact]
    public void Add_BeyondCapacity_DropsTheOldest()
    {
        var history = new SampleHistory(3);
        for (int i = 1; i <= 5; i++)
        {
            history.Add(i, 10 * i);
        }

        history.Count.ShouldBe(3);
        history.Sizes(3).ToArray().ShouldBe([3, 4, 5]);
        history.Throughputs(2).ToArray().ShouldBe([40, 50]);
    }

    [Fact]
    public void Clear_Filled_ForgetsAll()
    {
        var history = new SampleHistory(2);
        history.Add(1, 1);
        history.Clear();
        history.Count.ShouldBe(0);
    }

    [Fact]
    public void Constructor_NoCapacity_Throws()
        => Should.Throw<ArgumentOutOfRangeException>(() => new SampleHistory(0));
}
