using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

/// <summary>What the looks at one class, and the watch between them, say for and against guests that wait.</summary>
public sealed class BriefGuestsTests
{
    private const double Full = 0;
    private const double Brief = 1e-3;
    private readonly LookTurns _turns = new();
    private readonly BriefGuests _guests;
    private GuestCounts _counts;

    public BriefGuestsTests() => _guests = new BriefGuests(_turns);

    [Fact]
    public void Look_NotTrusted_OnlyBriefOnesOfAClassThatMayBeginAreNoOthers()
    {
        Look(isTrusted: false).ShouldBe(100);
        _guests.Mean.ShouldBe(Brief, 1e-9);
        _guests.IsCostly(On(Full)).ShouldBeTrue();
        Look(isTrusted: false, mayBegin: false).ShouldBe(0);
        _guests.IsCostly(On(Full)).ShouldBeFalse();
        Look(isTrusted: false, mean: 3 * Brief).ShouldBe(0);
        _guests.IsCostly(On(Full)).ShouldBeFalse();
    }

    [Fact]
    public void Look_Trusted_AllAreNoOthersWhereverTheyRun()
    {
        Look(requests: 3, guests: 50, mean: 10 * Brief).ShouldBe(53);
        Look(requests: 0, guests: 0, mean: double.NaN).ShouldBe(0);
        _guests.Mean.ShouldBe(double.NaN);
        _guests.UsualMean.ShouldBe(10 * Brief, 1e-9);
    }

    [Fact]
    public void Judge_ReasonStays_IsToldAfterSomeLooks()
    {
        for (int i = 1; i < BriefWaitRule.LooksToEnd; i++)
        {
            Look();
            _guests.Judge(On(0.3)).ShouldBeNull();
        }

        Look();
        _guests.Judge(On(0.3)).ShouldBe(TrustChange.Idle);
        _guests.IsHeldUp.ShouldBeFalse("few idle cores come and go within a look");
    }

    [Fact]
    public void Judge_LookAtGuestsWithoutAReason_BeginsTheCountAnew()
    {
        for (int i = 0; i < 3 * BriefWaitRule.LooksToEnd; i++)
        {
            Look();
            _guests.Judge(On(i % BriefWaitRule.LooksToEnd == 0 ? Full : 0.3)).ShouldBeNull();
        }
    }

    [Fact]
    public void Judge_LookAtWorkersWithoutAReason_CountsNeitherWay()
    {
        int reasons = 0;
        TrustChange? change = null;
        for (int i = 0; i < 100 && change is null; i++)
        {
            bool isReason = !_guests.IsHeldUp;
            reasons += isReason ? 1 : 0;
            Look();
            change = _guests.Judge(On(isReason ? 0.6 : Full));
        }

        (change, reasons).ShouldBe((TrustChange.Idle, BriefWaitRule.LooksToEnd));
    }

    [Fact]
    public void HoldUp_EndsWhereWorkersAreBriefAndTheWatchSaysNothingForATurn()
    {
        _turns.Next();
        _guests.HoldUp();
        LooksOver().ShouldBeFalse();
        _turns.Next();
        LooksOver().ShouldBeFalse("the watch has not looked in this turn");
        _turns.Next();
        Look(requests: BriefWaitRule.FewestRequests - 1);
        _guests.Judge(On(Full)).ShouldBeNull();
        _guests.IsHeldUp.ShouldBeTrue("too few requests to know");
        LooksOver().ShouldBeTrue();
    }

    [Fact]
    public void Restart_ForgetsWhatWasFound()
    {
        for (int i = 1; i < BriefWaitRule.LooksToEnd; i++)
        {
            Look();
            _guests.Judge(On(0.9)).ShouldBeNull();
        }

        _guests.IsHeldUp.ShouldBeTrue();
        _guests.Restart(_counts, wereBrief: true);
        _guests.IsHeldUp.ShouldBeFalse();
        _guests.IsCostly(On(Full)).ShouldBeFalse();
        Look();
        _guests.Judge(On(0.9)).ShouldBeNull("its first reason");
    }

    // Many at once, and no others.
    private static BriefLook On(double idle) => new(idle, Others: 0, AtOnce: 1);

    private bool LooksOver()
    {
        Look();
        _guests.Judge(On(Full)).ShouldBeNull();
        return !_guests.IsHeldUp;
    }

    // One in ten is timed.
    private long Look(bool isTrusted = true, bool mayBegin = true, int requests = 100, int guests = 0, double mean = Brief)
    {
        int timed = double.IsNaN(mean) ? 0 : 10;
        _counts = new(
            _counts.Completed + requests, _counts.Waits + requests, _counts.Timed + timed, _counts.Seconds + (timed > 0 ? timed * mean : 0),
            _counts.Guests + guests);
        return _guests.Look(_counts, isTrusted, mayBegin, taskWaits: 0);
    }
}
