using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Internal;

/// <summary>A counter that many threads add to.</summary>
public sealed class StripedCounterTests
{
    [Fact]
    public void Value_ManyThreadsAddAtOnce_IsTheSum()
    {
        const int Threads = 8;
        const int Each = 10_000;
        var counter = new StripedCounter();
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(number => new Thread(() =>
        {
            for (int i = 0; i < Each; i++)
            {
                counter.Increment(number);
            }
        }))];

        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => thread.Join());

        counter.Value.ShouldBe(Threads * Each);
    }

    [Theory]
    [InlineData(int.MinValue)]
    [InlineData(-1)]
    [InlineData(int.MaxValue)]
    public void Increment_AnyNumberOfAThread_Counts(int thread)
    {
        var counter = new StripedCounter();
        counter.Increment(thread);
        counter.Value.ShouldBe(1);
        counter.Add(thread, 41);
        counter.Value.ShouldBe(42);
    }
}
