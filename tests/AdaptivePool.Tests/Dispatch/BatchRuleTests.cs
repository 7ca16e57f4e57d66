using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Workers of a class wait for the next item where more gets done that way, and nowhere else.</summary>
public sealed class BatchRuleTests
{
    private const double Wait = 1e-4;

    [Theory]
    [InlineData(1.5)]
    [InlineData(1.2)]
    public void Observe_MoreIsDoneWithWaiting_IsOnWithinTenSeconds(double gain)
    {
        var load = new Load(new BatchRule(Wait), gain);

        load.Run(10);

        load.Rule.IsOn.ShouldBeTrue();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0.8)]
    [InlineData(0.5)]
    public void Observe_NoMoreIsDoneWithWaiting_StaysOffAndCostsLittle(double gain)
    {
        var load = new Load(new BatchRule(Wait), gain);
        double lost = load.Run(60);

        load.Rule.IsOn.ShouldBeFalse();
        lost.ShouldBeLessThan(0.02);
    }

    [Fact]
    public void Observe_NoiseOfAFifth_IsOnForAGainOfAHalfAndNotForALoss()
    {
        for (int seed = 1; seed <= 50; seed++)
        {
            var better = new Load(new BatchRule(Wait), gain: 1.5) { Noise = new Random(seed) };
            var worse = new Load(new BatchRule(Wait), gain: 0.85) { Noise = new Random(seed) };
            better.Run(10);
            worse.Run(10);
            better.Rule.IsOn.ShouldBeTrue($"seed {seed}");
            worse.Rule.IsOn.ShouldBeFalse($"seed {seed}");
        }
    }

    [Fact]
    public void Observe_WaitingPaysNoLonger_IsOffAtTheNextCheck()
    {
        var load = new Load(new BatchRule(Wait), gain: 1.5);
        load.Run(10);

        load.Gain = 0.8;
        load.Run(40);

        load.Rule.IsOn.ShouldBeFalse();
    }

    [Fact]
    public void Observe_NothingComesWhileWaiting_IsOffAtOnce()
    {
        var rule = new BatchRule(Wait, isOn: true);
        int waited = 0;
        for (double now = 0; rule.IsOn; now += Wait)
        {
            rule.Observe(now, 0);
            rule.HasWaitedInVain();
            waited++;
        }

        waited.ShouldBeLessThanOrEqualTo(65);
    }

    [Fact]
    public void Observe_HalfOfTheWaitsFindSomething_StaysOn()
    {
        var rule = new BatchRule(Wait, isOn: true);
        for (int i = 0; i < 10_000; i++)
        {
            rule.Observe(i * Wait, i).ShouldBeTrue();
            if (i % 2 == 0)
            {
                rule.HasWaitedInVain();
            }
        }

        rule.IsOn.ShouldBeTrue();
    }

    [Fact]
    public void Observe_NextItemIsFar_TriesNothing()
    {
        var rule = new BatchRule(Wait);
        for (int i = 0; i < 10_000; i++)
        {
            rule.Observe(i * 6 * Wait, i).ShouldBeFalse();
        }
    }

    [Fact]
    public void Observe_LoadPausesInATrial_SaysNothing()
    {
        var rule = new BatchRule(Wait);
        double now = 0;
        long completed = 0;
        bool waits = false;
        for (int trial = 0; trial < 5; trial++)
        {
            // On until it waits, which is the second turn of a trial, and then a pause.
            while (!waits)
            {
                now += Wait;
                completed++;
                waits = rule.Observe(now, completed);
            }

            now += 700;
            completed += 1_000_000_000;
            waits = rule.Observe(now, completed);
            waits.ShouldBeFalse();
        }

        rule.IsOn.ShouldBeFalse();
    }

    [Fact]
    public void Observe_OnlyTrialsThatSayNothing_TriesAsOftenAsBefore()
    {
        // Each burst is shorter than a trial: after some of them nothing was tried for ten minutes, though nothing had been found.
        var load = new Load(new BatchRule(Wait), gain: 1.5);
        for (int burst = 0; burst < 30; burst++)
        {
            load.Run(0.3);
            load.Pause(6);
        }

        load.Rule.IsOn.ShouldBeFalse();
        load.Run(10);
        load.Rule.IsOn.ShouldBeTrue();
    }

    [Fact]
    public void Observe_NoGain_TriesEverMoreSeldom()
    {
        var load = new Load(new BatchRule(Wait), gain: 0.5);
        double first = load.Run(60), later = load.Run(600) / 10;

        later.ShouldBeLessThan(first / 2);
    }

    /// <summary>One client whose next item comes as fast as its last one was done.</summary>
    private sealed class Load(BatchRule rule, double gain)
    {
        private const double PerSecond = 10_000;
        private const double NoiseOfATurn = 0.2;
        private const double TurnSeconds = 0.025;

        private double _now;
        private double _done;
        private double _factor = 1;
        private double _factorUntil;

        public BatchRule Rule { get; } = rule;

        public double Gain { get; set; } = gain;

        public Random? Noise { get; init; }

        /// <summary>Nothing comes for some time.</summary>
        public void Pause(double seconds) => _now += seconds;

        /// <summary>Runs for some time.</summary>
        /// <returns>Which part of what gets done without waiting was lost.</returns>
        public double Run(double seconds)
        {
            double until = _now + seconds, before = _done;
            while (_now < until)
            {
                if (_now >= _factorUntil && Noise is not null)
                {
                    _factor = Math.Exp(NoiseOfATurn * Math.Sqrt(-2 * Math.Log(1 - Noise.NextDouble())) * Math.Cos(2 * Math.PI * Noise.NextDouble()));
                    _factorUntil = _now + TurnSeconds;
                }

                bool waits = Rule.Observe(_now, (long)_done);
                _now += 1 / PerSecond;
                _done += _factor * (waits ? Gain : 1);
            }

            return 1 - ((_done - before) / (seconds * PerSecond));
        }
    }
}
