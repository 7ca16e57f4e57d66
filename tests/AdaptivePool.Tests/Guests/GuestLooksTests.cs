using AdaptivePool.Guests;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Guests;

/// <summary>Which guests of a class are looked at.</summary>
public sealed class GuestLooksTests
{
    private readonly StripedCounter _requests = new();
    private readonly LookTurns _turns = new();
    private readonly GuestLooks _looks;

    public GuestLooksTests() => _looks = new GuestLooks(_turns);

    [Fact]
    public void Wants_FirstGuests_AreAllLookedAt()
    {
        Looks(GuestLooks.Requests).ShouldBe(GuestLooks.Requests);
    }

    [Fact]
    public void Wants_EnoughThatDidNotWait_OneInEightIs()
    {
        BecomeFew();
        Looks(800).ShouldBe(100);
    }

    [Fact]
    public void Wants_FewComeInEachTurn_TheFirstOfEachIs()
    {
        BecomeFew();
        for (int turn = 0; turn < 100; turn++)
        {
            _turns.Next();
            Looks(1).ShouldBe(1);
        }
    }

    [Fact]
    public void AreUnseen_NoneForTenSeconds_False()
    {
        _turns.AreUnseen.ShouldBeFalse();
        _turns.OnUnseen();
        for (int turn = 0; turn < LookTurns.Open; turn++)
        {
            _turns.AreUnseen.ShouldBeTrue();
            _turns.Next();
        }

        _turns.AreUnseen.ShouldBeFalse();
    }

    [Fact]
    public void LookAgain_AfterAWait_AllAreUntilEnoughDidNotWait()
    {
        BecomeFew();
        _looks.LookAgain(_requests.Value);
        Looks(GuestLooks.Requests - 1).ShouldBe(GuestLooks.Requests - 1);
        BecomeFew();
        Looks(800).ShouldBe(100);
    }

    [Fact]
    public void LookAgain_WaitsComeAgainAndAgain_AllStayLookedAt()
    {
        for (int wait = 0; wait < 10; wait++)
        {
            Looks(GuestLooks.Requests - 1).ShouldBe(GuestLooks.Requests - 1);
            _looks.LookAgain(_requests.Value);
        }
    }

    [Fact]
    public void LookAlways_AsyncVoid_AllStayLookedAtForGood()
    {
        BecomeFew();
        _looks.LookAlways();
        Looks(10 * GuestLooks.Requests).ShouldBe(10 * GuestLooks.Requests);
        _looks.LookAgain(_requests.Value);
        Looks(10 * GuestLooks.Requests).ShouldBe(10 * GuestLooks.Requests);
    }

    [Fact]
    public void LookAtAll_TheWatchIsInDoubt_AllAreUntilEnoughDidNotWait()
    {
        BecomeFew();
        _turns.LookAtAll();
        Looks(GuestLooks.Requests - 1).ShouldBe(GuestLooks.Requests - 1);
        BecomeFew();
        Looks(800).ShouldBe(100);
    }

    [Fact]
    public void LookAtAll_BeforeThereWereEnough_TheyAreCountedAnew()
    {
        Looks(GuestLooks.Requests - 64);
        _turns.LookAtAll();
        Looks(GuestLooks.Requests).ShouldBe(GuestLooks.Requests);
    }

    // Of one stripe, as of requests that all come on one thread.
    private int Looks(int guests)
    {
        int looks = 0;
        for (int i = 0; i < guests; i++)
        {
            looks += _looks.Wants(_requests.Increment(0), _requests) ? 1 : 0;
        }

        return looks;
    }

    private void BecomeFew()
    {
        for (int i = 0; i < 3 * GuestLooks.Requests; i++)
        {
            if (!_looks.Wants(_requests.Increment(0), _requests))
            {
                while (_requests.Value % 8 != 0)
                {
                    _looks.Wants(_requests.Increment(0), _requests);
                }

                return;
            }
        }

        Assert.Fail("Not all are looked at some time.");
    }
}
