using AdaptivePool.Control;
using AdaptivePool.Sizing;
using AdaptivePool.Workers;

namespace AdaptivePool.Tests.Sizing;

public sealed class SizingLoopTests
{
    [Fact]
    public void Close_LastCallThrows_EndsAllTheSameAndIsAFault()
    {
        var surroundings = new PoolSurroundings { Budget = new CpuBudget() };
        Exception? fault = null;
        var set = new WorkerSet("closing", 4, 0, 1, surroundings.Threads, exception => fault = exception);
        var starter = new StarterLoop(set, "closing", surroundings.Threads);
        var loop = new SizingLoop(set, new AdaptivePoolOptions(), starter, static _ => new FixedController(1), static _ => { }, static _ => { }, surroundings);
        Eventually.End(loop.Close(static () => true, static () => throw new InvalidOperationException("injected")), "whoever disposes the pool waits for this");
        fault.ShouldBeOfType<InvalidOperationException>();
        set.Faulted.ShouldBe(1);

        // After the end: nobody listens, and nobody is told off.
        loop.Request(new SizeRequest(1, 2));
    }
}
