using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

public sealed class GenerationTests
{
    [Fact]
    public void AddTimed_ManyThreads_LosesNothing()
    {
        const int each = 20_000;
        var generation = new Generation();
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < each; i++)
            {
                generation.AddTimed(0.5);
                generation.AddCompleted(2);
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());
        generation.Timed.ShouldBe(4 * each);
        generation.Completed.ShouldBe(8 * each);
        generation.ServiceSeconds.ShouldBe(0.5 * 4 * each, 1e-6);
        generation.ServiceSecondsSquared.ShouldBe(0.25 * 4 * each, 1e-6);
    }
}
