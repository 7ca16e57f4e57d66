using AdaptivePool.Control;
using AdaptivePool.Simulation;

namespace AdaptivePool.Tests.Simulation;

/// <summary>What a step leaves behind for the garbage collector once the size is found.</summary>
public sealed class ControllerStepTests
{
    private const int Settled = 20_000;
    private const int Measured = 10_000;

    // One entry of the decision log; its text is shared.
    private const long BytesOfTrace = 200;

    // A probe writes two sizes and a reading, and holds on each side of the wave and in the rest after it.
    private const int TracesOfProbe = 7;

    // Of two runs that do the same: a loop that the runtime compiles anew while it runs may leave objects on the calling thread, once in the process (464 bytes
    // in one of many runs beside all other tests). What holds allocate themselves is there in both.
    [Fact]
    public void Update_Hold_AllocatesNothing() => Math.Min(Measure().Resting, Measure().Resting).ShouldBe(0);

    [Fact]
    public void Update_SteadyState_AllocatesOnlyTheTracesOfEachProbe()
    {
        (_, long other, int probes, int updates) = Measure();
        probes.ShouldBeInRange(1, updates / 50);
        other.ShouldBeLessThanOrEqualTo(probes * TracesOfProbe * BytesOfTrace);
    }

    // The rests are measured apart from the probes between them; the first sample of a rest is the decision to rest, the second has the trace of all holds.
    private static (long Resting, long Other, int Probes, int Updates) Measure()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, n => 100.0 * Math.Min(n, 40) * (n <= 40 ? 1 : 40.0 / n));
        feed.Run(Settled);
        long rest = 0;
        long other = 0;
        int probes = 0;
        int rests = 0;
        int updates = 0;
        bool hadRested = false;
        while (rests < Measured)
        {
            PoolSample sample = feed.Sample();
            bool wasResting = controller.State == ControllerState.Optimized;
            long before = GC.GetAllocatedBytesForCurrentThread();
            SizeDecision decision = controller.Update(sample);
            long bytes = GC.GetAllocatedBytesForCurrentThread() - before;
            bool isRest = wasResting && hadRested && controller.State == ControllerState.Optimized;
            rest += isRest ? bytes : 0;
            other += isRest ? 0 : bytes;
            rests += isRest ? 1 : 0;
            probes += wasResting && controller.State != ControllerState.Optimized ? 1 : 0;
            updates++;
            hadRested = wasResting;
            feed.Target = decision.Target;
            feed.Interval = decision.NextInterval;
        }

        return (rest, other, probes, updates);
    }
}
