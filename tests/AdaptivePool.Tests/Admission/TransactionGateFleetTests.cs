using System.Collections.ObjectModel;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

/// <summary>Gates that see each other, on virtual time.</summary>
public sealed class TransactionGateFleetTests
{
    private readonly TestFleet _fleet = new();

    [Fact]
    public void Look_TwoGates_ShareWhatBothBeganWith()
    {
        using TestGate first = Create(8);
        using TestGate second = Create(8);
        LookAtAll(first, second);
        (first.Gate.PermitLimit, second.Gate.PermitLimit).ShouldBe((8, 8));
        GateFleetSnapshot seen = Fleet(first);
        (seen.Instances, seen.Total, seen.IsBlind).ShouldBe((2, 16, false));
        new[] { seen.IsSearching, Fleet(second).IsSearching }.Count(static s => s).ShouldBe(1);
    }

    [Fact]
    public void Look_OneHasWork_GetsWhatTheOtherLeaves()
    {
        using TestGate busy = Create(8);
        using TestGate idle = Create(8);
        List<TransactionLease> leases = [.. Enumerable.Range(0, 8).Select(_ => busy.Enter())];
        Task[] waits = [.. Enumerable.Range(0, 40).Select(_ => busy.Wait())];
        LookAtAll(busy, idle);
        (busy.Gate.PermitLimit + idle.Gate.PermitLimit).ShouldBe(16);
        busy.Gate.PermitLimit.ShouldBeGreaterThan(13);
        waits.Count(static w => w.IsCompletedSuccessfully).ShouldBe(busy.Gate.PermitLimit - 8);
        leases.ForEach(static l => l.Dispose());
    }

    [Fact]
    public void Snapshot_BeforeAnythingHasChanged_HasConfirmedWhatItBeganWith()
    {
        using TestGate lone = Create(8);
        Verified(lone).ShouldBe(8);
        LookAtAll(lone);
        Verified(lone).ShouldBe(8);
    }

    [Fact]
    public void Snapshot_TheEldestConfirmsWhatIsInForce_ItsShareIsConfirmed()
    {
        using TestGate young = Create(8);
        List<TransactionLease> leases = [.. Enumerable.Range(0, 8).Select(_ => young.Enter())];
        Task[] waits = [.. Enumerable.Range(0, 40).Select(_ => young.Wait())];
        FleetReport eldest = new()
        {
            Id = FleetReport.CreateId(0, 0), Number = 1, Total = 20, Verified = 12, Epoch = 1, Limit = 10, Wanted = 90, IsProven = true,
        };
        _fleet.Others.Add(eldest.ToString());
        LookAtAll(young);
        (young.Gate.PermitLimit, Verified(young)).ShouldBe((10, 6));

        // Its limit does not change with that, so no decision tells of it.
        _fleet.Others[0] = (eldest with { Number = 2, Verified = 20 }).ToString();
        LookAtAll(young);
        (young.Gate.PermitLimit, Verified(young)).ShouldBe((10, 10));
        leases.ForEach(static l => l.Dispose());
        waits.Length.ShouldBe(40);
    }

    [Fact]
    public void Look_AnotherIsDisposed_TakesItsShare()
    {
        using TestGate first = Create(8);
        TestGate second = Create(8);
        LookAtAll(first, second);
        second.Dispose();
        _fleet.Members.ShouldBe(1);
        LookAtAll(first);
        (Fleet(first).Instances, first.Gate.PermitLimit, Fleet(first).IsSearching).ShouldBe((1, 16, true));
    }

    [Fact]
    public void Look_LineStandsStill_IsNobodysAfterAWhile()
    {
        using TestGate first = Create(8);
        _fleet.Others.Add(new FleetReport { Id = FleetReport.CreateId(0, 0), Total = 20, Verified = 20, Limit = 10, Wanted = 90, IsProven = true }.ToString());
        _fleet.Others.Add("psql");
        LookAtAll(first);
        (Fleet(first).Instances, Fleet(first).Total, Fleet(first).IsSearching).ShouldBe((2, 20, false));
        for (int i = 0; i < 40; i++)
        {
            LookAtAll(first);
        }

        (Fleet(first).Instances, Fleet(first).Total, Fleet(first).IsSearching).ShouldBe((1, 20, true));
    }

    [Fact]
    public void Look_SessionsThatBrokeAreStillShown_TheirGatesAreSeen()
    {
        // The old line hid the new one: after three seconds each took the limit of all, for as long as the server kept the old sessions.
        using TestGate first = Create(8);
        using TestGate second = Create(8);
        LookAtAll(first, second);
        _fleet.Break();
        for (int i = 0; i < 40; i++)
        {
            LookAtAll(first, second);
        }

        (Fleet(first).Instances, Fleet(second).Instances).ShouldBe((2, 2));
        (first.Gate.PermitLimit, second.Gate.PermitLimit).ShouldBe((8, 8));
    }

    [Fact]
    public void Look_AllStoodStill_TheFirstThatGoesOnLeavesTheOthersTheirShares()
    {
        // A machine that was suspended: the first of its processes took the limit of all, because no line had changed meanwhile.
        using TestGate first = Create(8);
        using TestGate second = Create(8);
        LookAtAll(first, second);
        LookAtAll(first);
        first.Clock.Advance(TimeSpan.FromMinutes(1));
        LookAtAll(first);
        (first.Gate.PermitLimit, Fleet(first).Instances).ShouldBe((8, 2));
        for (int i = 0; i < 12; i++)
        {
            LookAtAll(first);
        }

        (first.Gate.PermitLimit, Fleet(first).Instances).ShouldBe((16, 1), "the other one has not gone on");
    }

    [Theory]
    [InlineData("stood still")]
    [InlineData("saw nobody")]
    [InlineData("was switched off")]
    public void Look_TheEldestWasAway_GoesOnFromWhatTheOthersStandByNow(string why)
    {
        // It went on from the limit that held before, whatever the others had found since.
        using TestGate eldest = Create(8);
        FleetReport other = new()
        {
            Id = FleetReport.CreateId(long.MaxValue, 0), Number = 1, Total = 20, Verified = 20, Epoch = 1, Limit = 10, Wanted = 90, IsProven = true,
        };
        _fleet.Others.Add(other.ToString());
        LookAtAll(eldest);
        (Fleet(eldest).Total, Fleet(eldest).IsSearching).ShouldBe((20, true));

        _fleet.Failure = why == "saw nobody" ? new InvalidOperationException("permission denied") : null;
        eldest.Gate.PermitLimit = why == "was switched off" ? 0 : eldest.Gate.PermitLimit;
        if (why != "stood still")
        {
            LookAtAll(eldest);
        }

        eldest.Clock.Advance(TimeSpan.FromMinutes(1));
        _fleet.Failure = null;
        eldest.Gate.PermitLimit = why == "was switched off" ? 5 : eldest.Gate.PermitLimit;
        _fleet.Others[0] = (other with { Number = 900, Total = 60, Verified = 50, Epoch = 9 }).ToString();
        LookAtAll(eldest);
        (Fleet(eldest).Total, Fleet(eldest).IsSearching).ShouldBe((50, true));
    }

    [Fact]
    public void Look_OthersCannotBeSeen_KeepsTheLimitAndSaysWhy()
    {
        using TestGate first = Create(8);
        using TestGate second = Create(8);
        LookAtAll(first, second);
        _fleet.Failure = new InvalidOperationException("permission denied");
        LookAtAll(first, second);
        (first.Gate.PermitLimit, Fleet(first).IsBlind, Fleet(first).Failure).ShouldBe((8, true, "permission denied"));
        _fleet.Failure = null;
        for (int i = 0; i < 12; i++)
        {
            LookAtAll(first, second);
        }

        (first.Gate.PermitLimit, Fleet(first).IsBlind, Fleet(first).Failure).ShouldBe((8, false, null));
    }

    /// <summary>Whoever has not seen the others stays with it, so it is no start.</summary>
    [Fact]
    public void Create_HighLimit_IsWhatItBeginsWith()
    {
        using TestGate first = Create(100);

        first.Gate.PermitLimit.ShouldBe(100);
    }

    [Fact]
    public void Look_DatabaseStartedAgain_TheFirstThatSeesLeavesTheOthersTheirShares()
    {
        // It took the limit of all while the others still had their shares: twice as many at the moment when the database was coldest.
        using TestGate first = Create(8);
        using TestGate second = Create(8);
        using TestGate third = Create(8);
        LookAtAll(first, second, third);
        _fleet.Failure = new InvalidOperationException("the database system is starting up");
        LookAtAll(first, second, third);
        _fleet.Restart();
        for (int i = 0; i < 5; i++)
        {
            LookAtAll(first);
            (first.Gate.PermitLimit, Fleet(first).Instances).ShouldBe((8, 3));
        }

        for (int i = 0; i < 12; i++)
        {
            LookAtAll(first);
        }

        (first.Gate.PermitLimit, Fleet(first).Instances).ShouldBe((24, 1), "the others have not come back");
    }

    [Fact]
    public void Look_DatabaseShutsDown_TheSessionThatLastsLongestLeavesTheOthersTheirShares()
    {
        // It was shown that it was alone, took the limit of all, and kept it until the database was back.
        using TestGate first = Create(8);
        using TestGate second = Create(8);
        LookAtAll(first, second);
        _fleet.Restart();
        LookOnce(first);
        _fleet.Failure = new InvalidOperationException("the database system is shutting down");
        LookAtAll(first, second);
        first.Gate.PermitLimit.ShouldBe(8);
        _fleet.Restart();
        LookAtAll(first, second);
        (first.Gate.PermitLimit, second.Gate.PermitLimit, Fleet(first).Instances, Fleet(second).Instances).ShouldBe((8, 8, 2, 2));
    }

    [Fact]
    public void Look_Fails_IsTriedAgainAtOnceAndThenOnceASecond()
    {
        // A session that ended was missed by the others for a second, who took its share.
        using TestGate first = Create(8);
        LookAtAll(first);
        _fleet.Failure = new InvalidOperationException("terminating connection due to administrator command");
        int before = _fleet.Looks;
        LookOnce(first);
        LookOnce(first);
        (_fleet.Looks - before).ShouldBe(2);
        for (int i = 0; i < 9; i++)
        {
            LookOnce(first);
        }

        (_fleet.Looks - before).ShouldBe(2);
        LookOnce(first);
        (_fleet.Looks - before).ShouldBe(3);
    }

    [Fact]
    public void Look_NothingIsReturned_IsNoSight()
    {
        using TestGate first = Create(8);
        _fleet.ReturnsNull = true;
        LookAtAll(first);
        (first.Gate.PermitLimit, Fleet(first).IsBlind).ShouldBe((8, true));
        Fleet(first).Failure.ShouldNotBeNull().ShouldEndWith("Exchange returned null.");
    }

    // What threw there ended the process.
    [Fact]
    public void Look_LinesThrowWhileTheyAreRead_IsNoSight()
    {
        using TestGate first = Create(8);
        _fleet.Lines = new Unreadable();
        LookAtAll(first);
        (first.Gate.PermitLimit, Fleet(first).IsBlind, Fleet(first).Failure).ShouldBe((8, true, "Collection was modified"));
        _fleet.Lines = null;
        first.Clock.Advance(TimeSpan.FromSeconds(1));
        LookAtAll(first);
        Fleet(first).IsBlind.ShouldBeFalse();
    }

    // Numbers of these are the most that a line can tell: their sum was too large, and ended the process.
    [Fact]
    public void Look_MoreIsWantedThanANumberHolds_IsNoSight()
    {
        using TestGate first = Create(8);
        _fleet.Others.AddRange(Enumerable.Range(1, 1_500).Select(static i => new FleetReport
        {
            Id = FleetReport.CreateId(long.MaxValue, (uint)i), Total = int.MaxValue, Limit = int.MaxValue, Wanted = int.MaxValue,
        }.ToString()));
        LookAtAll(first);
        first.Gate.PermitLimit.ShouldBe(8);
        Fleet(first).IsBlind.ShouldBeTrue();
    }

    [Fact]
    public void Join_NothingIsReturned_IsTold() =>
        Should.Throw<InvalidOperationException>(static () => new TransactionGate(new TransactionGateOptions { Adaptive = true, Fleet = new NoFleet() }))
            .Message.ShouldEndWith("Join returned null.");

    [Fact]
    public void PermitLimit_SetByHand_LastsUntilTheNextLookAndZeroTakesTheGateOut()
    {
        using TestGate first = Create(8);
        using TestGate second = Create(8);
        LookAtAll(first, second);
        first.Gate.PermitLimit = 50;
        LookAtAll(first, second);
        first.Gate.PermitLimit.ShouldBe(8);
        first.Gate.PermitLimit = 0;
        LookAtAll(first, second);
        (first.Gate.PermitLimit, second.Gate.PermitLimit, Fleet(second).Instances).ShouldBe((0, 16, 1));
        first.Gate.PermitLimit = 5;
        LookAtAll(first, second);
        (first.Gate.PermitLimit, second.Gate.PermitLimit, Fleet(second).Instances).ShouldBe((8, 8, 2));
    }

    [Fact]
    public void Dispose_BeforeAnyLook_GivesThePlaceBack()
    {
        new TransactionGate(new TransactionGateOptions { Adaptive = true, Fleet = _fleet }).Dispose();
        _fleet.Members.ShouldBe(0);
    }

    [Fact]
    public void Dispose_AfterItsThreadHasLooked_GivesThePlaceBack()
    {
        var gate = new TransactionGate(new TransactionGateOptions { Adaptive = true, Fleet = _fleet });
        gate.AttemptAcquire().Dispose();
        Eventually.Be(() => _fleet.Looks > 0, "its thread looks");
        gate.Dispose();
        Eventually.Be(() => _fleet.Members == 0, "its thread ends");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Dispose_TheDatabaseIsGone_EndsAll(bool isUsed)
    {
        // It ended the process, or left the meter of the gate, where no thread had begun.
        _fleet.LeaveFailure = new InvalidOperationException("the database is gone");
        var gate = new TransactionGate(new TransactionGateOptions { Adaptive = true, Fleet = _fleet });
        if (isUsed)
        {
            gate.AttemptAcquire().Dispose();
            Eventually.Be(() => _fleet.Looks > 0, "its thread looks");
        }

        gate.Dispose();
        Eventually.Be(() => _fleet.Members == 0, "it has left");
    }

    private static GateFleetSnapshot Fleet(TestGate test) => test.Gate.GetSnapshot().Adaptive.ShouldNotBeNull().Fleet.ShouldNotBeNull();

    /// <summary>A few looks of all, a tenth of a second apart.</summary>
    private static void LookAtAll(params TestGate[] all)
    {
        for (int i = 0; i < 4; i++)
        {
            Array.ForEach(all, LookOnce);
        }
    }

    private static void LookOnce(TestGate test)
    {
        test.Clock.Advance(TimeSpan.FromMilliseconds(100));
        test.Gate.Core.LimitLoop!.Look().ShouldNotBeNull();
    }

    private static int Verified(TestGate test) => test.Gate.GetSnapshot().Adaptive!.Verified;

    private TestGate Create(int limit) => new(limit, options => (options.Adaptive, options.Fleet) = (true, _fleet));

    private sealed class NoFleet : IGateFleet
    {
        public IGateFleetMember Join(string gate) => null!;
    }

    private sealed class Unreadable() : ReadOnlyCollection<string>([]), IEnumerable<string>
    {
        IEnumerator<string> IEnumerable<string>.GetEnumerator() => throw new InvalidOperationException("Collection was modified");
    }
}
