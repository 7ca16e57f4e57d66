using AdaptivePool.Control;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Controllers;
using AdaptivePool.Simulation.Curves;
using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Control;

/// <summary>What one step of a controller costs, in the steady state on a falling curve with noise of 10 %.</summary>
[MemoryDiagnoser]
[ShortRunJob]
public class ControllerStepBenchmarks
{
    private const int Steps = 1 << 13;
    private const int Start = 40;
    private const int MaxTarget = 2048;
    private const double Variation = 0.1;
    private const double Correlation = 0.6;
    private readonly double[] _factors = new double[Steps];
    private IPoolController _controller = new FixedController(Start);
    private TimeSpan _interval = TimeSpan.FromMilliseconds(100);
    private int _target = Start;

    /// <summary>Prepares the runtime's climber.</summary>
    [GlobalSetup(Target = nameof(Runtime))]
    public void PrepareRuntime() => Prepare(new RuntimeController());

    /// <summary>Prepares the default controller.</summary>
    [GlobalSetup(Target = nameof(Wave))]
    public void PrepareWave() => Prepare(new HillClimbingController());

    /// <summary>Prepares the founding document's controller.</summary>
    [GlobalSetup(Target = nameof(SeedWave))]
    public void PrepareSeedWave() => Prepare(new HillClimbingController(HillClimbingOptions.SeedWave));

    /// <summary>The runtime's own, through a delegate; two field writes by reflection are part of it.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Steps)]
    public int Runtime() => Run();

    /// <summary>Ours with its defaults.</summary>
    [Benchmark(OperationsPerInvoke = Steps)]
    public int Wave() => Run();

    /// <summary>The founding document's.</summary>
    [Benchmark(OperationsPerInvoke = Steps)]
    public int SeedWave() => Run();

    // The controller meets what its own sizes bring, with noise drawn beforehand: neither the simulator nor chance is measured.
    private int Run()
    {
        int sum = 0;
        foreach (double factor in _factors)
        {
            sum += Step(factor);
        }

        return sum;
    }

    private int Step(double factor)
    {
        double seconds = _interval.TotalSeconds;
        long completions = (long)(CostCurve.Heavy48.Throughput(_target) * factor * seconds);
        var sample = new PoolSample
        {
            Elapsed = _interval,
            Completions = completions,
            Target = _target,
            MinTarget = 1,
            MaxTarget = MaxTarget,
            Arrivals = completions,
            Queued = MaxTarget,
            Active = _target,
            WorkerCpuSeconds = double.NaN,
            Utilisation = double.NaN,
            Cores = 2,
        };
        SizeDecision decision = _controller.Update(sample);
        _target = decision.Target;
        _interval = decision.NextInterval;
        return decision.Target;
    }

    private void Prepare(IPoolController controller)
    {
        var noise = new SimulationNoise(Variation, Correlation, 1);
        for (int i = 0; i < Steps; i++)
        {
            noise.NextTick();
            _factors[i] = noise.Factor;
        }

        _controller = controller;
        _target = Start;
        Run();
    }
}
