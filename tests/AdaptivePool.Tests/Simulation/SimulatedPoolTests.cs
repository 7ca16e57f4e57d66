using AdaptivePool.Control;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Tests.Simulation;

public sealed class SimulatedPoolTests
{
    private static readonly SimulationSettings s_quiet = new() { Noise = 0 };
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(100);

    [Fact]
    public void Run_Grown_RelaxesWithTheResponseTime()
    {
        // From 20 to 40 threads R = 40 / 2000 = 20 ms: after one R the rate has covered 1 - 1/e of the way.
        var pool = new SimulatedPool(CostCurve.Light40, 20, s_quiet) { Target = 40 };
        pool.Run(TimeSpan.FromMilliseconds(20));
        pool.Point.Rate.ShouldBe(2000 - ((2000 - CostCurve.Light40.Throughput(20)) / Math.E), 0.01);
    }

    [Fact]
    public void Run_OneLongOrManyShortSamples_DeliversTheSame()
    {
        var one = new SimulatedPool(CostCurve.Heavy48, 8, s_quiet) { Target = 40 };
        var other = new SimulatedPool(CostCurve.Heavy48, 8, s_quiet) { Target = 40 };
        one.Run(TimeSpan.FromSeconds(1));
        for (int i = 0; i < 1000; i++)
        {
            other.Run(TimeSpan.FromMilliseconds(1));
        }

        other.Delivered.ShouldBe(one.Delivered, 1e-6 * one.Delivered);
    }

    [Fact]
    public void Run_Shrunk_LetsOneThreadGoPerCompletion()
    {
        // 512 -> 112 threads: 400 completions at 250 per second and rising.
        var pool = new SimulatedPool(CostCurve.Heavy48, 512, s_quiet) { Target = 112 };
        double before = pool.Delivered;
        PoolSample sample = pool.Run(s_tick);
        ((double)sample.Active).ShouldBe(512 - (pool.Delivered - before), 1);
        sample.Target.ShouldBe(112);
        pool.Run(TimeSpan.FromSeconds(3)).Active.ShouldBe(112);
    }

    [Fact]
    public void Run_ShrunkInCoarseOrFineSteps_DeliversNearlyTheSame()
    {
        var coarse = new SimulatedPool(CostCurve.Heavy48, 512, s_quiet) { Target = 48 };
        var fine = new SimulatedPool(CostCurve.Heavy48, 512, s_quiet) { Target = 48 };
        coarse.Run(TimeSpan.FromSeconds(2));
        for (int i = 0; i < 8000; i++)
        {
            fine.Run(TimeSpan.FromMilliseconds(0.25));
        }

        coarse.Delivered.ShouldBe(fine.Delivered, 0.01 * fine.Delivered);
    }

    [Fact]
    public void Run_WorkloadChange_ComesAtItsMoment()
    {
        var pool = new SimulatedPool(CostCurve.Light40, 40, s_quiet with { Changes = [new(0.25, CostCurve.Io200)] });
        pool.Run(TimeSpan.FromMilliseconds(240));
        pool.Curve.ShouldBe(CostCurve.Light40);
        pool.Run(TimeSpan.FromMilliseconds(20));
        pool.Curve.ShouldBe(CostCurve.Io200);
        pool.Ideal.ShouldBe((0.25 * 2000) + (0.01 * 10_000), 1e-6);
    }

    [Fact]
    public void Run_Saturated_FillsTheSampleConsistently()
    {
        PoolSample sample = new SimulatedPool(CostCurve.Light40, 40, new SimulationSettings()).Run(TimeSpan.FromSeconds(1));
        sample.Arrivals.ShouldBe(sample.Completions);
        sample.MeanServiceTime.TotalSeconds.ShouldBe(40.0 / sample.Completions, 1e-6);
        sample.MeanQueueWait.TotalSeconds.ShouldBe((double)sample.Queued / sample.Completions, 1e-6);
        double.IsNaN(sample.Utilisation).ShouldBeTrue();
        double.IsNaN(sample.WorkerCpuSeconds).ShouldBeTrue();
        sample.IsPossible.ShouldBeTrue();
    }

    [Fact]
    public void Run_LittleDemand_QueueIsEmptyAndFewThreadsWork()
    {
        var pool = new SimulatedPool(CostCurve.Light40, 40, new SimulationSettings { ArrivalsPerSecond = 500 });
        long arrivals = 0;
        long completions = 0;
        PoolSample sample = default;
        for (int i = 0; i < 200; i++)
        {
            sample = pool.Run(s_tick);
            arrivals += sample.Arrivals;
            completions += sample.Completions;
            sample.Queued.ShouldBe(0);
        }

        completions.ShouldBe(arrivals);
        ((double)completions).ShouldBe(10_000, 400);
        ((double)sample.Active).ShouldBe(10, 2);
        sample.MeanQueueWait.ShouldBe(TimeSpan.Zero);
        pool.Ideal.ShouldBe(10_000, 1e-6);
    }

    [Fact]
    public void Run_MuchDemand_QueueHoldsWhatIsNotServed()
    {
        var pool = new SimulatedPool(CostCurve.Light40, 20, new SimulationSettings { ArrivalsPerSecond = 1500 });
        long there = 0;
        PoolSample sample = default;
        for (int i = 0; i < 100; i++)
        {
            sample = pool.Run(s_tick);
            there += sample.Arrivals - sample.Completions;
            ((long)sample.Queued).ShouldBe(there);
        }

        // 20 threads do 1,000 per second: 500 more wait each second, at last for about five seconds.
        ((double)sample.Queued).ShouldBe(5000, 600);
        sample.MeanQueueWait.TotalSeconds.ShouldBe(5, 1);
        sample.MaxQueueWait.ShouldBeGreaterThanOrEqualTo(sample.MeanQueueWait);
        sample.Active.ShouldBe(20);
    }

    [Fact]
    public void Run_CpuKnown_TellsCpuAndBlocking()
    {
        PoolSample sample = new SimulatedPool(CostCurve.Io200, 100, s_quiet).Run(TimeSpan.FromSeconds(1));
        sample.Utilisation.ShouldBe(0.5, 1e-6);
        sample.WorkerCpuSeconds.ShouldBe(1, 1e-6);
        (sample.Running, sample.Blocked).ShouldBe((1, 99));
        new SimulatedPool(CostCurve.Cpu2, 100, s_quiet).Run(s_tick).Blocked.ShouldBe(0);
    }

    [Fact]
    public void Run_CpuNotToBeKnown_TellsNothingOfIt()
    {
        PoolSample sample = new SimulatedPool(CostCurve.Io200, 100, s_quiet with { IsCpuKnown = false }).Run(s_tick);
        double.IsNaN(sample.Utilisation).ShouldBeTrue();
        double.IsNaN(sample.WorkerCpuSeconds).ShouldBeTrue();
        (sample.Running, sample.Blocked).ShouldBe((0, 0));
    }

    [Fact]
    public void Run_NoiseOfUtilisation_IsSeenButNeverOverOne()
    {
        var pool = new SimulatedPool(CostCurve.Io200, 190, s_quiet with { UtilisationNoise = 0.2 });
        double[] utilisations = [.. Enumerable.Range(0, 200).Select(_ => pool.Run(s_tick).Utilisation)];
        utilisations.Distinct().Count().ShouldBeGreaterThan(50);
        utilisations.Max().ShouldBeLessThanOrEqualTo(1);
    }

    [Fact]
    public void Run_SameSeed_SameSamples()
    {
        static PoolSample[] Samples(int seed)
        {
            var pool = new SimulatedPool(CostCurve.Postgres, 16, new SimulationSettings { Seed = seed });
            return [.. Enumerable.Range(0, 50).Select(_ => pool.Run(s_tick))];
        }

        Samples(3).Select(s => s.Completions).ShouldBe(Samples(3).Select(s => s.Completions));
        Samples(3).Select(s => s.Completions).ShouldNotBe(Samples(4).Select(s => s.Completions));
    }
}
