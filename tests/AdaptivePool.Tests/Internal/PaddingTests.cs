using System.Runtime.InteropServices;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Internal;

/// <summary>Values that many threads write have cache lines of their own: nothing within 64 bytes on either side.</summary>
public sealed class PaddingTests
{
    [Fact]
    public void PaddedInt_ItsValue_IsAloneOnItsCacheLines()
    {
        Marshal.SizeOf<PaddedInt>().ShouldBe(128);
        Marshal.OffsetOf<PaddedInt>(nameof(PaddedInt.Value)).ShouldBe(64);
    }

    [Fact]
    public void PaddedLong_ItsValue_IsAloneOnItsCacheLines()
    {
        Marshal.SizeOf<PaddedLong>().ShouldBe(128);
        Marshal.OffsetOf<PaddedLong>(nameof(PaddedLong.Value)).ShouldBe(64);
    }

    [Fact]
    public void PaddedCounter_ManyThreads_LosesNothing()
    {
        var counter = new PaddedCounter();
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < 100_000; i++)
            {
                counter.Add(3);
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());
        counter.Value.ShouldBe(1_200_000);
    }
}
