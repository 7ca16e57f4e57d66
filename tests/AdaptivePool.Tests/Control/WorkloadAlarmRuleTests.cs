using AdaptivePool.Control;
using AdaptivePool.Simulation;
using Shouldly;
using Xunit;
using static AdaptivePool.Control.WorkloadAlarmRule;

namespace AdaptivePool.Tests.Control;

public class WorkloadAlarmRuleTests
{
    private const int Learned = 100;

    // Measured over 1e6 windows: 0.3 to 6.9 alarms per 1e5 with two noisy signals.
    [Theory]
    [InlineData(0.05, 0)]
    [InlineData(0.05, 0.6)]
    [InlineData(0.1, 0.9)]
    [InlineData(0.3, 0.3)]
    [InlineData(0.5, 0)]
    [InlineData(0.5, 0.9)]
    public void Observe_NoiseOnly_OneAlarmIn10000WindowsAtMost(double variation, double correlation)
    {
        WorkloadAlarmRule rule = new();
        CorrelatedNoise rate = new(variation, correlation, seed: 3);
        CorrelatedNoise cpu = new(variation, correlation, seed: 4);
        int alarms = 0;
        for (int i = 0; i < 100_000; i++)
        {
            alarms += rule.Observe(Window(rate.Next(), cpu.Next())) == Signals.None ? 0 : 1;
        }

        alarms.ShouldBeLessThanOrEqualTo(10);
    }

    [Theory]
    [InlineData(2, 0.05, 0, 3)]
    [InlineData(2, 0.05, 0.9, 3)]
    [InlineData(0.5, 0.1, 0.6, 3)]
    [InlineData(0.5, 0.3, 0, 7)]
    [InlineData(1.2, 0.05, 0, 8)]
    [InlineData(1.2, 0.05, 0.6, 12)]
    [InlineData(0.8, 0.05, 0.3, 8)]
    public void Observe_ThroughputChanges_MedianDelay(double factor, double variation, double correlation, int windows)
    {
        List<int> delays = [];
        for (int seed = 0; seed < 101; seed++)
        {
            CorrelatedNoise noise = new(variation, correlation, seed);
            WorkloadAlarmRule rule = new();
            Learn(rule, noise);
            delays.Add(Until(rule, () => Window(noise.Next() + Math.Log(factor))).Windows);
        }

        delays.Sort();
        delays[delays.Count / 2].ShouldBeLessThanOrEqualTo(windows);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(0.5)]
    public void Observe_CpuPerItemChanges_ThatSignalFires(double factor)
    {
        // As many more threads are in use: where the same ones use more CPU, wall per CPU says it first.
        CorrelatedNoise noise = new(0.05, 0.3, seed: 5);
        WorkloadAlarmRule rule = new();
        Learn(rule, noise);

        (int windows, Signals fired) = Until(rule, () => Window(noise.Next(), Math.Log(factor)) with { Active = (int)(100 * factor) });

        windows.ShouldBeLessThanOrEqualTo(4);
        (fired & Signals.CpuPerItem).ShouldBe(Signals.CpuPerItem);
        (fired & Signals.Throughput).ShouldBe(Signals.None);
    }

    // It has the noise of the items. With lower limits it raised a false alarm in one of five such runs, throughput in one of a thousand.
    [Fact]
    public void Observe_CpuIsTheSameWhateverCompletes_CpuPerItemIsNoSurerThanThroughput()
    {
        for (int seed = 0; seed < 100; seed++)
        {
            CorrelatedNoise noise = new(0.3, 0.9, seed);
            WorkloadAlarmRule rule = new();
            for (int i = 0; i < 60; i++)
            {
                rule.Observe(Window(noise.Next()) with { WorkerCpuSeconds = 1 }).ShouldNotBe(Signals.CpuPerItem);
            }
        }
    }

    [Fact]
    public void Observe_ThreadsWaitTwiceAsLongAtTheSameRate_WallPerCpuFires()
    {
        // Half of the threads were in use before: the rate stays, the time of an item doubles.
        CorrelatedNoise noise = new(0.05, 0.3, seed: 6);
        WorkloadAlarmRule rule = new();
        for (int i = 0; i < Learned; i++)
        {
            rule.Observe(Window(noise.Next()) with { Active = 50, Running = 2, Blocked = 48 });
        }

        (int windows, Signals fired) = Until(rule, () => Window(noise.Next()) with { Active = 100, Running = 4, Blocked = 96 });

        windows.ShouldBeLessThanOrEqualTo(4);
        fired.ShouldBe(Signals.WallPerCpu);
    }

    [Fact]
    public void Observe_IoBecomesCpuAt200Threads_BlockedFiresWhereNothingElseMoves()
    {
        // 10,000 -> 9,150 per second, both with 2 cores and 200 threads in use: wall/CPU is the same 100 before and after.
        CorrelatedNoise noise = new(0.1, 0.6, seed: 7);
        WorkloadAlarmRule rule = new();
        for (int i = 0; i < Learned; i++)
        {
            rule.Observe(Split(noise.Next(), blocked: 198));
        }

        (int windows, Signals fired) = Until(rule, () => Split(noise.Next() + Math.Log(0.915), blocked: 0));

        windows.ShouldBeLessThanOrEqualTo(3);
        fired.ShouldBe(Signals.Blocked);

        static PoolSample Split(double shift, int blocked)
        {
            double items = Math.Round(10_000 * Math.Exp(shift));
            return Window(0) with { Completions = (long)items, WorkerCpuSeconds = 2, Active = 200, Running = 200 - blocked, Blocked = blocked };
        }
    }

    [Fact]
    public void Observe_OneWindowFarOff_NoAlarm()
    {
        CorrelatedNoise noise = new(0.05, 0, seed: 8);
        WorkloadAlarmRule rule = new();
        Learn(rule, noise);
        for (int i = 0; i < 20; i++)
        {
            rule.Observe(Window(-4)).ShouldBe(Signals.None);
            for (int k = 0; k < 15; k++)
            {
                rule.Observe(Window(noise.Next())).ShouldBe(Signals.None);
            }
        }
    }

    [Fact]
    public void Observe_NothingButThroughputKnown_OthersAreLeftOut()
    {
        CorrelatedNoise noise = new(0.05, 0, seed: 9);
        WorkloadAlarmRule rule = new();
        for (int i = 0; i < Learned; i++)
        {
            rule.Observe(Bare(noise.Next())).ShouldBe(Signals.None);
        }

        Until(rule, () => Bare(noise.Next() - Math.Log(2))).Fired.ShouldBe(Signals.Throughput);

        static PoolSample Bare(double shift) => Window(shift) with { WorkerCpuSeconds = double.NaN, Active = 0, Running = 0, Blocked = 0 };
    }

    [Fact]
    public void Observe_CpuUnknownInEveryOtherWindow_GapsDoNotFire()
    {
        CorrelatedNoise noise = new(0.1, 0, seed: 10);
        WorkloadAlarmRule rule = new();
        for (int i = 0; i < 1_000; i++)
        {
            PoolSample window = Window(noise.Next());
            rule.Observe(i % 2 == 0 ? window : window with { WorkerCpuSeconds = double.NaN }).ShouldBe(Signals.None);
        }
    }

    [Fact]
    public void Observe_NothingCompletesAnyMore_Alarm()
    {
        CorrelatedNoise noise = new(0.1, 0, seed: 11);
        WorkloadAlarmRule rule = new();
        Learn(rule, noise);

        (int windows, Signals fired) = Until(rule, () => Window(0) with { Completions = 0 });

        // A grain of whole items is all that is left of the noise: it takes some windows, not for ever.
        windows.ShouldBeLessThanOrEqualTo(6);
        (fired & Signals.Throughput).ShouldBe(Signals.Throughput);
    }

    [Theory]
    [InlineData(0, 100)]
    [InlineData(-1, 100)]
    [InlineData(1, -5)]
    public void Observe_WindowsThatCannotBe_SayNothing(double seconds, long completions)
    {
        WorkloadAlarmRule rule = new();
        for (int i = 0; i < 40; i++)
        {
            rule.Observe(Window(0) with { Elapsed = TimeSpan.FromSeconds(seconds), Completions = completions }).ShouldBe(Signals.None);
        }

        // No level was learned from them that this would leave.
        for (int i = 0; i < 10; i++)
        {
            rule.Observe(Window(2)).ShouldBe(Signals.None);
        }
    }

    [Fact]
    public void Observe_NoNoiseAtAll_AFifthIsAnAlarm()
    {
        WorkloadAlarmRule rule = new();
        for (int i = 0; i < 300; i++)
        {
            rule.Observe(Window(0)).ShouldBe(Signals.None);
        }

        Until(rule, () => Window(Math.Log(1.2))).Windows.ShouldBeLessThanOrEqualTo(4);
    }

    [Fact]
    public void Observe_SlowDrift_IsFollowed()
    {
        CorrelatedNoise noise = new(0.1, 0.3, seed: 14);
        WorkloadAlarmRule rule = new();
        int alarms = 0;
        for (int i = 0; i < 20_000; i++)
        {
            alarms += rule.Observe(Window((0.000_05 * i) + noise.Next())) == Signals.None ? 0 : 1;
        }

        // Up by a factor of e; a step of that size would be one alarm in two windows.
        alarms.ShouldBeLessThanOrEqualTo(4);
    }

    [Fact]
    public void Observe_WhileItLearns_SaysNothing()
    {
        WorkloadAlarmRule rule = new();
        for (int i = 0; i < 6; i++)
        {
            rule.Observe(Window(0)).ShouldBe(Signals.None);
            rule.Observe(Window(3)).ShouldBe(Signals.None);
        }
    }

    [Theory]
    [InlineData(true, 6)]
    [InlineData(false, 12)]
    public void Reset_NoiseKeptOrNot_LevelIsLearnedAnew(bool keepNoise, int warmUp)
    {
        CorrelatedNoise noise = new(0.05, 0, seed: 12);
        WorkloadAlarmRule rule = new();
        Learn(rule, noise);

        rule.Reset(keepNoise);

        for (int i = 0; i < warmUp; i++)
        {
            rule.Observe(Window(noise.Next() + 2)).ShouldBe(Signals.None);
        }

        Until(rule, () => Window(noise.Next())).Windows.ShouldBeLessThanOrEqualTo(4);
    }

    [Fact]
    public void Observe_SameWindows_SameAlarms()
    {
        static string Run()
        {
            CorrelatedNoise noise = new(0.5, 0.9, seed: 13);
            WorkloadAlarmRule rule = new();
            return string.Concat(Enumerable.Range(0, 5_000).Select(_ => rule.Observe(Window(noise.Next())).ToString("D")));
        }

        Run().ShouldBe(Run());
    }

    [Fact]
    public void Observe_AllocatesNothing()
    {
        WorkloadAlarmRule rule = new();
        PoolSample window = Window(0);
        rule.Observe(window);

        Allocation.Of(() =>
        {
            for (int i = 0; i < 1_000; i++)
            {
                rule.Observe(window);
            }
        }).ShouldBe(0);
    }

    private static void Learn(WorkloadAlarmRule rule, CorrelatedNoise noise)
    {
        for (int i = 0; i < Learned; i++)
        {
            rule.Observe(Window(noise.Next()));
        }
    }

    private static (int Windows, Signals Fired) Until(WorkloadAlarmRule rule, Func<PoolSample> next)
    {
        for (int i = 1; i <= 200; i++)
        {
            if (rule.Observe(next()) is var fired and not Signals.None)
            {
                return (i, fired);
            }
        }

        return (int.MaxValue, Signals.None);
    }

    // 100 threads at 1,000 items per second; the CPU belongs to the items, so that more of them take more of it.
    private static PoolSample Window(double shift, double cpuShift = 0)
    {
        double items = Math.Round(1_000 * Math.Exp(shift));
        return new()
        {
            Elapsed = TimeSpan.FromSeconds(1),
            Completions = (long)items,
            Target = 100,
            MinTarget = 1,
            MaxTarget = 1_000,
            Queued = 500,
            Active = 100,
            Running = 4,
            Blocked = 96,
            WorkerCpuSeconds = 0.001 * items * Math.Exp(cpuShift),
            Cores = 2,
        };
    }
}
