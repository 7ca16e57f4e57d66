using AdaptivePool.Control;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class RampPolicyTests
{
    private static readonly ClassSizeSettings s_settings = new() { StartLimit = 2, MaxLimit = 1_000 };
    private readonly ScriptedClass _class = new() { BlockedShare = 0.7 };
    private readonly List<(double At, SizeProposal Proposal)> _said = [];
    private readonly KeptSize _kept = new(2);
    private readonly KindRule _kind = new();
    private readonly RampPolicy _policy;
    private double _fraction;
    private double _unevenness;
    private int _others;
    private double _heldDownSince = double.NaN;

    public RampPolicyTests()
    {
        _policy = new(s_settings, _kept, _kind, new(_kept, _kind));
        _policy.Restart(_class.Observation, 2);
    }

    [Fact]
    public void Observe_SmallStepsThatBringMore_AreKeptUpToTheFirstThatDoesNot()
    {
        Run(2, static limit => limit <= 4 ? 1_000 * limit : 2_000);

        _kept.Size.ShouldBe(4);
        _kept.Rate.ShouldBe(4_000, 100);
        _policy.Phase.ShouldBe(RampPhase.Rest);
        Reasons().Take(3).ShouldBe([DecisionReason.Ramp, DecisionReason.RampVerified, DecisionReason.Ramp]);
    }

    [Fact]
    public void Observe_RefusedStep_IsLeftToWhoComparesInPairs()
    {
        Run(30, static limit => limit <= 4 ? 1_000 * limit : 2_000);

        Reasons().Count(static r => r == DecisionReason.RampRefused).ShouldBe(1);
        _kept.Size.ShouldBe(4);
    }

    [Fact]
    public void Observe_TrialStillConnects_IsNotJudged()
    {
        Run(0.25, static _ => 3_000, () => _policy.Phase == RampPhase.Trial);
        _class.Warm = false;

        Run(1.5, static _ => 3_000);

        _policy.Phase.ShouldBe(RampPhase.Trial);
    }

    [Fact]
    public void Observe_LargeStepBringsAPart_TriesTheKnee()
    {
        // Waits of 50 ms, and room for 20 of them: 32 bring no more than 20 do.
        (_class.BlockedShare, _class.SleepingShare) = (0.999, 0);
        Run(8, static limit => 20 * Math.Min(limit, 13));

        _kept.Size.ShouldBeInRange(13, 16);
        _said.ShouldContain(static s => s.Proposal.Reason == DecisionReason.Ramp && s.Proposal.Limit >= 13 && s.Proposal.Limit <= 15);
    }

    [Fact]
    public void Restart_ProbeDown_HalvesWhileItCostsNothing()
    {
        RestartFarAbove(128);

        Run(10, static limit => 50 * Math.Min(limit, 12));

        _kept.Size.ShouldBeInRange(12, 20);
    }

    [Fact]
    public void Restart_ProbeDownCostsThroughput_TriesAQuarterThenAHalfAndGoesUp()
    {
        (_class.BlockedShare, _class.SleepingShare) = (0.999, 0);
        RestartFarAbove(64);

        Run(5, static limit => 20 * limit);

        Reasons().Take(4).ShouldBe([DecisionReason.Ramp, DecisionReason.RampRefused, DecisionReason.Ramp, DecisionReason.RampRefused]);
        _said.Where(static s => s.Proposal.Reason == DecisionReason.Ramp).Take(2).Select(static s => s.Proposal.Limit).ShouldBe([16, 32]);
        _kept.Size.ShouldBeGreaterThan(64);
    }

    [Fact]
    public void Restart_ProbeDownOfSleepers_IsNotMade()
    {
        (_class.BlockedShare, _class.SleepingShare) = (0.999, 1);
        RestartFarAbove(64);

        Run(5, static limit => 20 * limit);

        _said.ShouldAllBe(static s => s.Proposal.Limit >= 64);
    }

    [Fact]
    public void Restart_FarAboveTheBest_FirstStepIsMadeBeforeAnythingIsMeasured()
    {
        (_class.BlockedShare, _class.SleepingShare) = (0.9, 0);
        RestartFarAbove(512);

        Run(0.3, static _ => 1_000, () => _policy.Phase == RampPhase.Trial);

        _said.Select(static s => s.Proposal.Limit).ShouldBe([128]);
        _kept.Rate.ShouldBe(double.NaN);
    }

    [Fact]
    public void Observe_HeldDown_GivesTheTrialUpAndComesBack()
    {
        Run(0.5, static limit => 1_000 * limit, () => _policy.Phase == RampPhase.Trial);
        _class.Adopt(2);
        for (int i = 0; i < 100; i++)
        {
            // The limit on trial never comes into force.
            _class.Complete(0.005, 10, 0.002);
            Observe();
        }

        _policy.Phase.ShouldBe(RampPhase.Rest);
        _said[^1].Proposal.ShouldBe(new SizeProposal(2, DecisionReason.RampRefused));
        Run(8, static limit => 1_000 * limit);
        _kept.Size.ShouldBeGreaterThan(2);
    }

    [Fact]
    public void BeginLoanTrial_ColdClass_KeptWithoutComparison()
    {
        (_class.BlockedShare, _class.SleepingShare, _class.Limit) = (0.999, 1, 64);
        _policy.BeginLoanTrial(_class.Observation, 64);

        Run(0.3, static limit => 20 * limit, () => _policy.Phase != RampPhase.Trial);

        _said[0].Proposal.Reason.ShouldBe(DecisionReason.LoanVerified);
        double.IsNaN(_said[0].Proposal.Gain).ShouldBeTrue();
        _kept.Size.ShouldBe(64);
    }

    [Fact]
    public void Observe_RefusedStepOfAServer_IsLeftToWhoComparesInPairs()
    {
        (_class.OwnCores, _class.IdleCores) = (0.6, 1.4);

        Run(60, static limit => 500 * Math.Min(limit, 8));

        _kept.Size.ShouldBe(8);
        _said.Count(static s => s.Proposal is { Reason: DecisionReason.Ramp, Limit: > 8 }).ShouldBe(1, string.Join('\n', _said));
    }

    [Fact]
    public void Observe_RefusedStepOfAClassNobodyKnows_IsLeftToWhoComparesInPairs()
    {
        (_class.BlockedShare, _class.MachineKnown) = (double.NaN, false);

        Run(30, static limit => 500 * Math.Min(limit, 8));

        _kept.Size.ShouldBe(8);
        _said.Count(static s => s.Proposal is { Reason: DecisionReason.Ramp, Limit: > 8 }).ShouldBe(1, string.Join('\n', _said));
    }

    [Fact]
    public void Observe_ServerPausesWhileIdle_NoStepIsTakenOnThat()
    {
        (_class.OwnCores, _class.IdleCores) = (2, 0);
        Run(2, static limit => 500 * Math.Min(limit, 8));
        _kept.Size.ShouldBe(8);
        int said = _said.Count;

        // A checkpoint: for a second nearly nothing completes and the CPU is idle.
        (_class.OwnCores, _class.IdleCores) = (0.3, 1.7);
        Run(0.5, static _ => 800);
        (_class.OwnCores, _class.IdleCores) = (2, 0);
        Run(2, static limit => 500 * Math.Min(limit, 8));

        _said.Count.ShouldBe(said, $"{string.Join("\n", _said.Skip(said))}");
    }

    // A tenth of the rate of the work before: from a server that pauses, unless short items pass the long ones.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Observe_OtherWorkOfShortAndLongItems_IsBelievedAtOnce(bool shortPass)
    {
        Run(2, static limit => 500 * Math.Min(limit, 8));
        _kept.Size.ShouldBe(8);
        double before = _kept.Rate;
        _class.ShortPass = shortPass;
        _policy.Remeasure(_class.Observation);

        Run(3, static limit => 50 * limit, () => _kept.Rate < 0.9 * before);

        (_kept.Rate < 500).ShouldBe(shortPass);
    }

    [Fact]
    public void BeginLoanTrial_ItemsTakeLongerNow_ComparedWithWhatTheVerifiedSizeWouldBring()
    {
        Run(0.5, static limit => limit <= 4 ? 1_000 * limit : 2_000);
        _kept.Size.ShouldBe(4);

        // 4,000/s of 1 ms before; sleeps of 50 ms now: 64 threads bring 1,280/s, the verified four would bring 80.
        (_class.BlockedShare, _class.SleepingShare) = (0.999, 1);
        _class.Adopt(64);
        _policy.BeginLoanTrial(_class.Observation, 64);
        Run(0.3, static limit => 20 * limit, () => _policy.Phase != RampPhase.Trial);

        _said[^1].Proposal.Reason.ShouldBe(DecisionReason.LoanVerified);
        _said[^1].Proposal.Gain.ShouldBe(Math.Log(16), 0.1);
    }

    // 256 others keep the server full, of which each additional caller has a share.
    [Fact]
    public void Observe_OthersFillTheServer_AFifthOfItWithinFiveSeconds()
    {
        CrowdAround(longShare: 0.9);

        Run(5, static limit => 1_300.0 * limit / (256 + limit));

        _kept.Size.ShouldBeGreaterThan(256 / 5, string.Join('\n', _said));
    }

    // Most items end at once: the mean of all hides those that the workers wait for, and there are enough of them to count.
    [Theory]
    [InlineData(0.9, 10, 64)]
    [InlineData(0.3, 10, 8)]
    [InlineData(0.9, 1, 8)]
    public void Observe_MostItemsEndAtOnce_LargeStepsIfWorkersAreFoundInLongOnesAndOthersGoOn(double longShare, int others, int size)
    {
        CrowdAround(longShare, others);

        Run(12, static limit => 10 * 1_300.0 * limit / (256 + limit));

        _kept.Size.ShouldBe(size, string.Join('\n', _said));
    }

    private void CrowdAround(double longShare, int others = 10)
    {
        (_class.OwnCores, _class.IdleCores, _class.BlockedShare, _class.LongShare) = (0.2, 0, 0.97, longShare);
        (_unevenness, _others) = (0.9, others);
    }

    private void RestartFarAbove(int size)
    {
        _class.Limit = size;
        _policy.Restart(_class.Observation, size, probeDown: true);
    }

    private IEnumerable<DecisionReason> Reasons() => _said.Select(static s => s.Proposal.Reason);

    private void Run(double seconds, Func<int, double> rate, Func<bool>? until = null)
    {
        double end = _class.Now + seconds;
        while (_class.Now < end && until?.Invoke() != true)
        {
            double perSecond = rate(_class.Limit);
            _fraction += perSecond * 0.005;
            int items = (int)_fraction;
            _fraction -= items;
            double service = _class.Limit / perSecond;
            _class.OldestItemAge = service / 2;
            _unevenness = -_unevenness;
            _class.OthersCompleted += _others * items;
            _class.Complete(0.005, items, service * (1 + _unevenness));
            Observe();
            _class.Adopt(_policy.Limit);
        }
    }

    private void Observe()
    {
        _kind.Observe(_class.Observation, _class.Machine);
        _heldDownSince = _class.Limit >= _policy.Limit ? double.NaN : double.IsNaN(_heldDownSince) ? _class.Now : _heldDownSince;
        TimeSpan heldDown = double.IsNaN(_heldDownSince) ? TimeSpan.Zero : TimeSpan.FromSeconds(_class.Now - _heldDownSince);
        if (_policy.Observe(_class.Observation, _class.Machine, heldDown) is { } proposal)
        {
            _said.Add((_class.Now, proposal));
        }
    }
}
