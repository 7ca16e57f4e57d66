using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed partial class CountedTimeTests
{
    [Theory]
    [InlineData(0.003, 0.003, 0, 0)]
    [InlineData(0.05, 0.003, 0, 0)]
    [InlineData(0.303, 0.003, 0, 0)]
    [InlineData(0.503, 0.003, 0, 0.5)]
    [InlineData(5.003, 0.003, 0, 5)]
    [InlineData(0.053, 0.003, 0.05, 0.05)]
    [InlineData(0.503, 0.003, 0.5, 0.5)]
    [InlineData(3_600, double.PositiveInfinity, 0, 0)]
    [InlineData(3_600, double.PositiveInfinity, 0.5, 0.5)]
    [InlineData(0.001, 0.003, 0.5, 0.001)]
    [InlineData(0, 0.003, 0, 0)]
    public void Look_LateOrCollecting_DoesNotCount(double elapsed, double asked, double collecting, double expected) =>
        StoodStill(elapsed, asked, collecting, used: 0).ShouldBe(expected, 1e-9);

    [Theory]
    [InlineData(0.49, 5)]
    [InlineData(0.51, 0)]
    [InlineData(9, 0)]
    public void Look_LateButTheProcessUsedTheCpu_OnlyThisThreadWasLate(double used, double expected) =>
        StoodStill(5.003, 0.003, 0, used).ShouldBe(expected, 1e-9);

    /// <summary>Pauses of all kinds among the ticks of a class at its limit whose items take 5 ms: no threads are lent for them, and those that a stall
    /// deserves are.</summary>
    [Theory]
    [InlineData(0.5, 0)]
    [InlineData(5, 0)]
    [InlineData(0.05, 0.05)]
    [InlineData(0.5, 0.5)]
    public void StoodStill_PausesAmongTicks_EarnNoLoan(double pause, double collecting)
    {
        var clock = new PausedClock();
        Lends(clock, pause, collecting, completes: true).ShouldBeFalse("a pause is no stall");
        Lends(new PausedClock { CountsPauses = true }, pause, collecting, completes: true)
            .ShouldBeTrue("the same with a plain clock, or this test proves nothing");
        Lends(new PausedClock(), pause, collecting, completes: false).ShouldBeTrue("a stall is one also when the process pauses meanwhile");
    }

    // Seconds of the first look that do not count.
    private static double StoodStill(double elapsed, double asked, double collecting, double used)
    {
        CountedTime time = new(collected: 0, () => used);
        time.AskFor(double.IsFinite(asked) ? TimeSpan.FromSeconds(asked) : Timeout.InfiniteTimeSpan);
        return elapsed - time.Look(elapsed, collecting);
    }

    private static bool Lends(PausedClock clock, double pause, double collecting, bool completes)
    {
        var lent = new LentRule(new() { StartLimit = 2 });
        long completed = 0;
        for (int tick = 0; tick < 300; tick++)
        {
            clock.Tick(0.003, tick % 100 == 51 ? pause : 0, tick % 100 == 51 ? collecting : 0);
            int ended = completes && tick % 2 == 0 ? 1 : 0;
            completed += ended;
            var c = new ClassObservation
            {
                Now = TimeSpan.FromSeconds(clock.Now),
                // Always short: what the rule itself makes of a long one must not hide what the clock is asked for here.
                Elapsed = TimeSpan.FromSeconds(0.003),
                Ended = ended,
                Limit = 2,
                Active = 2,
                Queued = 10,
                Completed = completed,
                SleepingShare = 1,
                BlockedShare = 1,
                LongServiceSeconds = 0.005,
                Cores = 2,
            };
            lent.Observe(c, new MachineObservation(0.1, 1.9, 2, Known: true), 2, 2, isCold: false, mayGrow: true);
            if (lent.IsOpen)
            {
                return true;
            }
        }

        return false;
    }

    private sealed class PausedClock
    {
        private readonly CountedTime _time = new(collected: 1, static () => 0);
        private double _elapsed;
        private double _collected = 1;
        private double _counted;

        public bool CountsPauses { get; init; }

        public double Now => CountsPauses ? _elapsed : _counted;

        public void Tick(double asked, double pause, double collecting)
        {
            _time.AskFor(TimeSpan.FromSeconds(asked));
            _elapsed += asked + pause;
            _collected += collecting;
            _counted = _time.Look(_elapsed, _collected);
        }
    }
}
