using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>The lanes of a class on virtual time: the order is the one that ships.</summary>
public sealed class KickUpPaceTests
{
    private const double Tick = 0.01;
    private static readonly TimeSpan s_after = TimeSpan.FromSeconds(1);

    /// <summary>Items always wait, and of those that are taken each comes again at once: as many as two cores work off in a fourth of a second, or in
    /// two thirds of one.</summary>
    [Theory]
    [InlineData(2_000, 9_000, WorkPriority.Low)]
    [InlineData(2_000, 9_000, WorkPriority.Normal)]
    [InlineData(2_000, 4_500, WorkPriority.Low)]
    [InlineData(200, 900, WorkPriority.Low)]
    public void Closed_OneInTenHigh_LowKeepsItsTimeAndHighIsTenTimesFaster(int items, int perSecond, WorkPriority other)
    {
        var waits = new Dictionary<WorkPriority, List<double>> { [WorkPriority.High] = [], [other] = [] };
        var lanes = new PriorityLanes<RealSync>();
        for (int i = 0; i < items; i++)
        {
            Come(i, 0);
        }

        double nextTick = 0;
        for (int taken = 1; taken <= 30 * perSecond; taken++)
        {
            double now = (double)taken / perSecond;
            if (now >= nextTick)
            {
                lanes.Ages.Look(now, 0, 0, s_after);
                nextTick += Tick;
            }

            lanes.TryDequeue(out object? item).ShouldBeTrue();
            (int number, double cameAt) = ((int, double))item!;
            waits[Of(number)].Add(now - cameAt);
            Come(number, now);
        }

        waits[other].Max().ShouldBeLessThanOrEqualTo(1 + Tick, "no item waits longer than the kick-up and a tick");
        Tail(waits[WorkPriority.High]).ShouldBeLessThanOrEqualTo(0.1 * Tail(waits[other]));

        WorkPriority Of(int number) => number % 10 == 0 ? WorkPriority.High : other;
        void Come(int number, double at) => lanes.Enqueue((number, at), Of(number));
        static double Tail(List<double> all) => all.Order().ElementAt(all.Count * 99 / 100);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(8)]
    [InlineData(16)]
    [InlineData(1_000)]
    public void Has_AShare_IsSpreadEvenlyAndNumbered(int oneIn)
    {
        int share = KickUpPace.All / oneIn;
        List<uint> turns = [];
        for (uint turn = 1; turn <= 64_000; turn++)
        {
            if (KickUpPace.Has(turn, share, out uint number))
            {
                turns.Add(turn);
                number.ShouldBe((uint)turns.Count);
            }
        }

        turns.Count.ShouldBeInRange((64_000 / oneIn) - (64_000 / oneIn / 50) - 1, (64_000 / oneIn) + 1);
        turns.Zip(turns.Skip(1)).ShouldAllBe(pair => pair.Second - pair.First >= oneIn && pair.Second - pair.First <= oneIn + (oneIn / 50) + 1);
        KickUpPace.Has(1, 0, out _).ShouldBeFalse();
    }

    [Fact]
    public void Observe_NothingWaits_HasNoTurns()
    {
        var pace = new KickUpPace();
        pace.Observe(0, 0, 0, 0);
        pace.Observe(1, 1_000, 0, 0);
        pace.Share.ShouldBe(0);
    }

    [Fact]
    public void Observe_ATenthIsNeeded_HasATenthOfTheTurns()
    {
        var pace = new KickUpPace();
        pace.Observe(0, 0, 0, 0);
        pace.Observe(1, 1_000, 0, 100);
        (pace.Share, pace.LowOf).ShouldBe(((KickUpPace.All / 10) + 1, KickUpPace.Parts));
        pace.Observe(2, 2_000, 75, 25);
        (pace.Share, pace.LowOf).ShouldBe(((KickUpPace.All / 10) + 1, 4));
    }

    [Fact]
    public void Observe_MoreIsNeededThanThereIs_HasEverySecondTurn()
    {
        var pace = new KickUpPace();
        pace.Observe(0, int.MaxValue, 0, 0);
        pace.Observe(1, unchecked(int.MaxValue + 1_000), 0, 900);
        pace.Share.ShouldBe(KickUpPace.All / 2);
        pace.Observe(1.001, 0, double.PositiveInfinity, 1);
        (pace.Share, pace.LowOf).ShouldBe((KickUpPace.All / 2, 1));
        pace.Observe(1.002, 0, double.PositiveInfinity, double.PositiveInfinity);
        (pace.Share, pace.LowOf).ShouldBe((KickUpPace.All / 2, 8));
    }

    [Fact]
    public void Observe_TurnsAreNotKnownYet_WaitsUntilTheyAre()
    {
        var pace = new KickUpPace();
        pace.Observe(0, 0, 0, 100);
        pace.Share.ShouldBe(0);
        pace.Observe(0, 0, 0, double.PositiveInfinity);
        pace.Share.ShouldBe(KickUpPace.All / 2);
    }
}
