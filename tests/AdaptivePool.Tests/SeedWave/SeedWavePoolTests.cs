using System.Collections.Concurrent;
using AdaptivePool.Control;

namespace AdaptivePool.Tests.SeedWave;

/// <summary>
/// Each transition of the founding document's controller, once, on a real pool under a load that brings it about; docs/control-seed.md lists them. Nothing is
/// measured here: a test waits for the decision.
/// </summary>
public sealed class SeedWavePoolTests : PoolTest
{
    private const int Never = 100;
    private const int Widest = 32_767;

    // Samples as short as the load allows; no minimum, no steep decline where a test is not about them.
    private static readonly SeedWaveOptions s_quick = new()
    {
        SamplePeriod = TimeSpan.FromMilliseconds(30),
        MinAcceptedThroughput = 0,
        SteepDecline = 1,
        MinWaveMagnitude = 10,
    };

    // The wave sees no trend and the plateau comes after eight samples.
    private static readonly SeedWaveOptions s_toPlateau = s_quick with
    {
        ValuableProgress = Never,
        MagnitudePatience = 4,
        MaxWaveMagnitude = 20,
        PlateauSamples = 2,
    };

    // The first jump, or the first step of a plateau, ends the search.
    private static readonly SeedWaveOptions s_toOptimum = s_quick with { BracketWidth = Widest };

    private readonly List<ControllerTrace> _told = [];

    [Fact]
    public void JumpUp_RisingCurve()
    {
        AdaptiveThreadPool pool = Create(s_quick, 10);
        using CurveLoad load = new(pool.DefaultClass, 64, Rising);

        // Noise may lead the search down first; it comes up again from there.
        Await(pool, DecisionReason.JumpUp, static it => it.To > 10, "a jump above the first size").Gain.ShouldBeGreaterThan(0);
    }

    [Fact]
    public void JumpDown_FallingCurve()
    {
        AdaptiveThreadPool pool = Create(s_quick with { SamplePeriod = TimeSpan.FromMilliseconds(60) }, 24);
        using CurveLoad load = new(pool.DefaultClass, 64, static n => 60_000.0 / n);
        Await(pool, DecisionReason.JumpDown).Gain.ShouldBeLessThan(0);
    }

    [Fact]
    public void HigherWave_NoTrend()
    {
        AdaptiveThreadPool pool = Create(s_toPlateau with { MaxWaveMagnitude = 80 }, 10);
        using CurveLoad load = new(pool.DefaultClass, 64, Rising);
        Await(pool, DecisionReason.Wave, static it => it.To == 30, "a wave of twice the height");
    }

    [Fact]
    public void UsualToPlateau_ThenStepsDown()
    {
        AdaptiveThreadPool pool = Create(s_toPlateau with { PlateauDrop = 1 }, 40);
        using CurveLoad load = new(pool.DefaultClass, 64, Rising);
        Await(pool, DecisionReason.Plateau).State.ShouldBe("Plateau");
        Await(pool, DecisionReason.Plateau, static it => it.To < 40, "a step down").From.ShouldBe(40);
    }

    [Fact]
    public void PlateauToUsual_SmallerSizeLoses()
    {
        // Noise may lead the search down before a step loses. A narrow bracket lets it leave the plateau from there, too.
        AdaptiveThreadPool pool = Create(s_toPlateau with { BracketWidth = 1 }, 40);
        using CurveLoad load = new(pool.DefaultClass, 64, Rising);
        Await(pool, DecisionReason.PlateauLeft).State.ShouldBe("Usual");
    }

    [Fact]
    public void PlateauToOptimized_BoundsAreClose()
    {
        AdaptiveThreadPool pool = Create(s_toPlateau with { BracketWidth = Widest }, 40);
        using CurveLoad load = new(pool.DefaultClass, 64, Rising);
        Await(pool, DecisionReason.Plateau);
        Await(pool, DecisionReason.Optimized).To.ShouldBe(40);
    }

    [Fact]
    public void UsualToOptimized_ThenToUsual_ThroughputIsAnother()
    {
        AdaptiveThreadPool pool = Create(s_toOptimum with { ValuableDifference = 0.5 }, 10);
        using CurveLoad load = new(pool.DefaultClass, 64, Rising);
        Await(pool, DecisionReason.Optimized).State.ShouldBe("Optimized");

        load.Throughput = n => load.Turn == 0 ? Rising(n) : Rising(n) / 4;
        Await(pool, DecisionReason.OptimumLost).State.ShouldStartWith("Usual");
    }

    [Fact]
    public void OptimizedToUsual_ClientsAreOthers()
    {
        AdaptiveThreadPool pool = Create(s_toOptimum with { ValuableDifference = 0.7 }, 10);
        using CurveLoad load = new(pool.DefaultClass, 30, Rising);
        Await(pool, DecisionReason.Optimized);
        Await(pool, DecisionReason.OptimumLost, static _ => true, "other clients", () => load.SetClients(load.Turn == 0 ? 30 : 120));
    }

    [Fact]
    public void OptimizedToUsual_LatencyAlone()
    {
        SeedWaveOptions options = s_toPlateau with { BracketWidth = Widest, SamplePeriod = TimeSpan.FromMilliseconds(60), ValuableDifference = 0.5 };
        ConcurrentBag<OptimumNotes> notes = [];
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { InitialThreads = 20, MaxThreads = 200, Sizing = PoolSizing.Custom(Noting) });
        pool.DefaultClass.CountConnections = static () => 40;

        // Threefold or a third every 500 items, so that nobody needs to know when a search has taken its measure.
        using SteadyArrivals load = new(pool.DefaultClass, static it => TimeSpan.FromMilliseconds(it / 500 % 2 == 0 ? 4 : 12));
        Eventually.Be(() => notes.SelectMany(static it => it.Lost).Any(IsLatencyAlone), "an optimum that latency alone has ended");

        OptimumNotes Noting()
        {
            OptimumNotes made = new(options);
            notes.Add(made);
            return made;
        }
    }

    [Fact]
    public void OptimizedToPlateau_FewerClientsThanThreads()
    {
        AdaptiveThreadPool pool = Create(s_toOptimum with { ValuableDifference = 0.5 }, 20);
        using CurveLoad load = new(pool.DefaultClass, 40, Rising);
        Await(pool, DecisionReason.Optimized);
        Await(
            pool,
            DecisionReason.Plateau,
            static it => it.State == "Plateau after OptimumLost",
            "the flat part of the curve",
            () => load.SetClients(load.Turn == 0 ? 40 : 4));
    }

    [Fact]
    public void FalseTransition_FromThePlateau_MoreThreadsThanClients()
    {
        AdaptiveThreadPool pool = Create(s_toPlateau with { BracketWidth = Widest }, 40);
        using CurveLoad load = new(pool.DefaultClass, 2, Rising);
        Await(pool, DecisionReason.Plateau);
        Await(pool, DecisionReason.FalseTransition).State.ShouldBe("Usual after FalseTransition");
    }

    [Fact]
    public void FalseTransition_FromTheProgress_MoreThreadsThanClients()
    {
        SeedWaveOptions options = s_toOptimum with { ValuableProgress = 0.001, MinConnectionsPerThread = 0, MaxDownRatio = 1.01 };
        AdaptiveThreadPool pool = Create(options, 40);
        using CurveLoad load = new(pool.DefaultClass, 2, Rising);
        Await(pool, DecisionReason.FalseTransition);
        _told.ShouldNotContain(static it => it.Reason == DecisionReason.Plateau);
    }

    [Fact]
    public void FalseJump_TooManyThreadsForTheClients()
    {
        AdaptiveThreadPool pool = Create(s_quick with { ValuableProgress = 0.001, MaxDownRatio = 1.01, BracketWidth = 1 }, 40);
        using CurveLoad load = new(pool.DefaultClass, 2, Rising);
        Await(pool, DecisionReason.FalseJump);
    }

    [Fact]
    public void WorkloadChange_KnownSizeMissesTwice()
    {
        SeedWaveOptions options = s_toPlateau with { MaxWaveMagnitude = Widest, MagnitudeGrowth = 1.01, ValuableDifference = 0.5 };
        AdaptiveThreadPool pool = Create(options, 10);
        using CurveLoad load = new(pool.DefaultClass, 100, Rising);
        Await(pool, DecisionReason.Wave, static it => it.To >= 22, "the size was measured twice");
        load.Throughput = n => load.Turn == 0 ? Rising(n) : Rising(n) / 4;
        Await(pool, DecisionReason.WorkloadChange);
    }

    [Fact]
    public void ManualResize_SizeOutsideTheUsersBounds()
    {
        AdaptiveThreadPool pool = Create(s_quick, 10);
        using CurveLoad load = new(pool.DefaultClass, 64, Rising);
        Await(pool, DecisionReason.JumpUp, static it => it.To > 12, "a jump above the bound to come");
        pool.Resize(1, 12);
        Await(pool, DecisionReason.ManualResize, static it => it.State == "Usual after ManualResize", "the search begins again");
    }

    [Fact]
    public void NoConnections_AfterTheIdleTimeout_BeginsAgainWithTheFirstItem()
    {
        AdaptiveThreadPool pool = Create(s_quick, 10, idle: TimeSpan.FromMilliseconds(200));
        using (CurveLoad load = new(pool.DefaultClass, 20, Rising))
        {
            Await(pool, DecisionReason.Wave);
        }

        Await(pool, DecisionReason.NoConnections);

        // One client never waits: nobody but the search wants to know of it.
        using CurveLoad light = new(pool.DefaultClass, 1, Rising);
        Await(pool, DecisionReason.Reinitialized);
    }

    [Fact]
    public void SteepDecline_ThroughputFalls()
    {
        AdaptiveThreadPool pool = Create(s_quick with { SteepDecline = 0.5, ValuableProgress = Never }, 20);
        using CurveLoad load = new(pool.DefaultClass, 64, Rising);
        Await(pool, DecisionReason.Wave);
        load.Throughput = static n => Rising(n) / 20;
        Await(pool, DecisionReason.SteepDecline);
    }

    [Fact]
    public void Suspended_UnderTheMinimum_ThenBeginsAgain()
    {
        AdaptiveThreadPool pool = Create(s_quick with { MinAcceptedThroughput = 300, ValuableProgress = Never }, 20);
        using CurveLoad load = new(pool.DefaultClass, 64, Rising);
        Await(pool, DecisionReason.Wave);
        load.Throughput = static n => 100;
        Await(pool, DecisionReason.Suspended);
        load.Throughput = Rising;
        Await(pool, DecisionReason.Reinitialized);
    }

    private static bool IsLatencyAlone((PoolSample Then, PoolSample Now) lost) =>
        lost.Now.Connections == lost.Then.Connections && Math.Abs((Throughput(lost.Now) / Throughput(lost.Then)) - 1) < 0.5;

    private static double Throughput(in PoolSample sample) => sample.Completions / sample.Elapsed.TotalSeconds;

    // 4 ms an item, however many run beside it.
    private static double Rising(int running) => 250.0 * running;

    private AdaptiveThreadPool Create(SeedWaveOptions seed, int start, TimeSpan? idle = null) => CreatePool(new AdaptivePoolOptions
    {
        InitialThreads = start,
        MaxThreads = 200,
        IdleTimeout = idle ?? TimeSpan.FromSeconds(60),
        HillClimbing = new() { Profile = ControllerProfile.SeedWave, Seed = seed },
    });

    private ControllerTrace Await(AdaptiveThreadPool pool, DecisionReason reason) => Await(pool, reason, static _ => true, $"{reason}");

    private ControllerTrace Await(AdaptiveThreadPool pool, DecisionReason reason, Func<ControllerTrace, bool> isWanted, string what, Action? meanwhile = null)
    {
        ControllerTrace? found = null;
        try
        {
            Eventually.Be(
                () =>
                {
                    meanwhile?.Invoke();
                    while (found is null && pool.Decisions.TryRead(out ControllerTrace? trace))
                    {
                        _told.Add(trace);
                        found = trace.Reason == reason && trace.ClassName == "default" && isWanted(trace) ? trace : null;
                    }

                    return found is not null;
                },
                what);
        }
        catch (ShouldAssertException)
        {
            throw new ShouldAssertException($"{what} was not told; the last: {string.Join('\n', _told.TakeLast(30))}");
        }

        return found!;
    }
}
