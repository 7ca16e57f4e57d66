using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class GenerationWindowTests
{
    private readonly GenerationWindow _window = new();
    private readonly ScriptedClass _class = new() { Limit = 8, BlockedShare = 0.7 };

    [Fact]
    public void Observe_NotWarm_NothingCounts()
    {
        Begin();
        _class.Warm = false;

        for (int i = 0; i < 10; i++)
        {
            Feed(0.1, 1_000, 0.002).ShouldBeNull();
        }
    }

    [Fact]
    public void Observe_NewWorkersStillConnect_NothingCounts()
    {
        Begin();
        _class.OldestItemAge = 1;
        Tick();
        for (int i = 0; i < 100; i++)
        {
            // Two old workers are fast, the six new ones hang in their first item.
            _class.OldestItemAge = _class.Now + 0.02;
            Feed(0.01, 20, 0.001).ShouldBeNull();
        }

        _class.OldestItemAge = 0.001;
        Settle(0.01, 40, 0.002).Rate.ShouldBe(4_000, 1);
    }

    [Fact]
    public void Observe_ItemThatNeverEnds_PatienceEnds()
    {
        Begin();
        _class.Warm = false;
        Tick();
        for (int i = 0; i < 19; i++)
        {
            Feed(0.1, 100, 0.002).ShouldBeNull();
        }

        Feed(0.2, 100, 0.002).ShouldBeNull();

        Settle(0.01, 40, 0.002).Rate.ShouldBe(4_000, 1);
    }

    [Fact]
    public void Observe_TwoGenerationsAgree_MeanOfBoth()
    {
        Begin();
        Tick();
        Feed(0.06, 100, 0.002).ShouldBeNull();

        GenerationResult? result = Feed(0.06, 120, 0.002);

        result!.Value.Rate.ShouldBe(110 / 0.06, 1);
        result.Value.Used.ShouldBe(8);
    }

    [Fact]
    public void Observe_ColdGenerationThenWarm_FirstIsNoReference()
    {
        Begin();
        Tick();
        Feed(0.4, 4, 1).ShouldBeNull();
        Feed(0.4, 4, 1).ShouldBeNull();
        Feed(0.06, 240, 0.002).ShouldBeNull();

        Settle(0.03, 120, 0.002).Rate.ShouldBe(4_000, 50);
    }

    [Fact]
    public void Observe_NeverAgrees_GivesUpAfterFiveAndTakesTheMean()
    {
        Begin();
        Tick();
        int windows = 0;
        GenerationResult? result = null;
        while (result is null)
        {
            windows++.ShouldBeLessThan(20);
            result = Feed(0.3, windows % 2 == 0 ? 100 : 300, 0.002);
        }

        windows.ShouldBeInRange(6, 8);
        result.Value.Rate.ShouldBe(200 / 0.3, 1);
    }

    // Eight of a second that began together end together, and let ten short ones each pass before the next eight hold the workers.
    [Fact]
    public void Observe_LongItemsEndTogether_OneCountOfAllOfThem()
    {
        (_class.BlockedShare, _class.LongServiceSeconds) = (0.97, 1);
        Begin();
        double begun = _class.Now;
        GenerationResult? result = null;
        for (int i = 1; result is null && i < 1_000; i++)
        {
            if (i % 100 == 0)
            {
                _class.Complete(0, 80, 0.001);
                _class.Complete(0, 8, 1);
            }

            _class.OldestItemAge = i % 100 * 0.01;
            _class.Wait(0.01);
            result = _window.Observe(_class.Observation);
        }

        result.ShouldNotBeNull().Rate.ShouldBe(88, 2);
        (_class.Now - begun).ShouldBe(2, 0.1);
    }

    [Fact]
    public void Observe_ServiceMatchesTheSizeBefore_OneGenerationIsEnough()
    {
        Begin(reference: 0.0022);
        Tick();

        Feed(0.06, 200, 0.002).ShouldNotBeNull().Rate.ShouldBe(200 / 0.06, 1);
    }

    // From half of that after the size was full, although an older item still runs, and although size over service time would answer sooner.
    [Theory]
    [InlineData(double.NaN, 1.5)]
    [InlineData(0.3, 1.5)]
    [InlineData(2, 6)]
    public void Observe_OthersFillTheServer_OneCountOfASecondOrTwoServiceTimes(double reference, double seconds)
    {
        (_class.BlockedShare, _class.LongShare, _class.LongServiceSeconds) = (0.97, 0.9, 100);
        Begin(reference);
        _class.Warm = false;
        double begun = _class.Now;

        GenerationResult? result = FeedBesideOthers(10);

        (_class.Now - begun).ShouldBe(seconds, 0.05);
        result.ShouldNotBeNull().Rate.ShouldBe(50, 1);
        result.Value.IsCrowded.ShouldBeTrue();
    }

    // A single class before a server that pauses; one whose workers are found in short items; cores that are free.
    [Theory]
    [InlineData(1, 0, 0.9, true)]
    [InlineData(10, 0, 0.4, true)]
    [InlineData(10, 0, 0.9, false)]
    [InlineData(0, 10, 0.9, true)]
    [InlineData(1, 5, 0.9, true)]
    public void Observe_OthersDoNotFillTheServer_AllInFlightMustHaveCompleted(int others, int inFlight, double found, bool isFull)
    {
        (_class.BlockedShare, _class.LongShare, _class.LongServiceSeconds) = (0.97, found, 100);
        Begin();
        _class.Warm = false;

        FeedBesideOthers(others, isFull, inFlight: inFlight).ShouldBeNull();
    }

    // Asynchronous items of others: each is continued five times, where the items of the class wait.
    [Fact]
    public void Observe_OthersWorkIsInFlight_CountsByWhatTheyBegin()
    {
        (_class.BlockedShare, _class.LongShare, _class.LongServiceSeconds) = (0.97, 0.9, 100);
        Begin();
        _class.Warm = false;

        FeedBesideOthers(2, inFlight: 10).ShouldNotBeNull().IsCrowded.ShouldBeTrue();
    }

    [Fact]
    public void Observe_FewItemsBesideOthers_WaitsForForty()
    {
        (_class.BlockedShare, _class.LongShare, _class.LongServiceSeconds) = (0.97, 0.9, 100);
        Begin();
        _class.Warm = false;
        double begun = _class.Now;

        FeedBesideOthers(10, every: 5).ShouldNotBeNull();

        (_class.Now - begun).ShouldBe(0.5 + 2, 0.05);
    }

    [Fact]
    public void Observe_ServiceOfALargeSizeMatches_TwoGenerations()
    {
        _class.Limit = 16;
        Begin(reference: 0.002);
        Tick();

        Feed(0.16, 1_000, 0.002).ShouldBeNull();
    }

    [Fact]
    public void Observe_LongEvenWaits_SizeOverServiceTimeAfterHalfAGeneration()
    {
        Begin(reference: 0.02);
        (_class.BlockedShare, _class.OldestItemAge) = (0.99, 0);
        Tick();

        GenerationResult? result = Feed(0.021, 4, 0.02);

        result.ShouldNotBeNull().Rate.ShouldBe(400, 1);
    }

    [Fact]
    public void Observe_LongEvenWaitsWithoutReference_TwoGenerationsUnlessTheyWereSeenToSleep()
    {
        (_class.BlockedShare, _class.OldestItemAge) = (0.99, 0);
        Begin();
        Tick();
        Feed(0.021, 4, 0.02).ShouldBeNull();
        Feed(0.021, 4, 0.02).ShouldNotBeNull().Rate.ShouldBe(400, 1);

        Begin(trustFirst: true);
        Tick();
        Feed(0.021, 4, 0.02).ShouldNotBeNull();
    }

    [Fact]
    public void Observe_NothingWaits_MarkedAsDemandLimited()
    {
        Begin(reference: 0.002);
        _class.Queued = 0;
        _class.Active = 3;
        _class.Wait(0.2);
        Tick();

        GenerationResult result = Settle(0.03, 30, 0.002);

        result.DemandLimited.ShouldBeTrue();
        result.Used.ShouldBe(3, 0.01);
    }

    [Fact]
    public void Observe_PoolSlept_MeasuresFromTheStart()
    {
        Begin();
        Tick();
        Feed(0.06, 100, 0.002).ShouldBeNull();

        Feed(3_600, 100, 0.002).ShouldBeNull();
        Tick();
        Feed(0.06, 100, 0.002).ShouldBeNull();
        Feed(0.06, 100, 0.002).ShouldNotBeNull().Rate.ShouldBe(100 / 0.06, 1);
    }

    // As when a thread is lent for a stuck worker: the limit without it stays, and the pool counts from zero.
    [Fact]
    public void Observe_AnotherCountBegins_WhatCompletedBeforeIsNoPartOfTheRate()
    {
        Begin(reference: 0.002);
        Tick();
        Feed(0.01, 40, 0.002).ShouldBeNull("the window has just been opened");
        Feed(0.01, 40, 0.002).ShouldBeNull();
        _class.Generation = default;

        Settle(0.01, 40, 0.002).Rate.ShouldBe(4_000, 1);
    }

    [Fact]
    public void Observe_OtherLimitInForce_StartsAgain()
    {
        Begin(reference: 0.002);
        Tick();
        _class.Limit = 4;
        Feed(0.06, 200, 0.002).ShouldBeNull();
        _class.Limit = 8;
        Tick();

        Feed(0.03, 100, 0.002).ShouldBeNull();
        Feed(0.03, 100, 0.002).ShouldNotBeNull();
    }

    private void Begin(double reference = double.NaN, bool trustFirst = false) =>
        _window.Begin(_class.Observation, _class.Limit, reference, trustFirst);

    private void Tick()
    {
        _window.Observe(_class.Observation);
        _class.Wait(0.001);
        _window.Observe(_class.Observation);
    }

    // So many items of others for each of the class, one of which ends every so many hundredths of a second.
    private GenerationResult? FeedBesideOthers(int others, bool isFull = true, int every = 2, int inFlight = 0)
    {
        GenerationResult? result = null;
        for (int i = 0; result is null && i < 1_000; i++)
        {
            int items = i % every == 0 ? 1 : 0;
            _class.OthersCompleted += others * items;
            _class.InFlightCompleted += inFlight * items;
            _class.Complete(0.01, items, 0.1);
            result = _window.Observe(_class.Observation, mayBeCrowded: isFull);
        }

        return result;
    }

    private GenerationResult? Feed(double seconds, int items, double service)
    {
        _class.Complete(seconds, items, service);
        return _window.Observe(_class.Observation);
    }

    private GenerationResult Settle(double seconds, int items, double service)
    {
        for (int i = 0; i < 100; i++)
        {
            if (Feed(seconds, items, service) is { } result)
            {
                return result;
            }
        }

        throw new InvalidOperationException("The size never settled.");
    }
}
