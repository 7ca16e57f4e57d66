using System.Collections;
using static AdaptivePool.Balancing.Tests.CollaborativeRoundRobinTests;

namespace AdaptivePool.Balancing.Tests;

public sealed partial class CollaborativeBalancerTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void Choose_Burst_AdmitsItsPartOnly()
    {
        BackendState[] backends = Backends(1);
        Tell(backends[0], 100);
        CollaborativeBalancer balancer = new();

        // 50 ms of 100 a second, and the one that is due now. Literal collaborative round robin would have sent ninety at once.
        Send(balancer, backends, 50, TimeSpan.Zero)[0].ShouldBe(6);
        BalancerChoice none = balancer.Choose(backends, TimeSpan.Zero);
        none.IsChosen.ShouldBeFalse();
        backends[0].Diverted.ShouldBe(0, "nothing went elsewhere");
        none.RetryAfter.ShouldBe(TimeSpan.FromMilliseconds(10));
        balancer.Choose(backends, none.RetryAfter).IsChosen.ShouldBeTrue();
    }

    /// <summary>It draws 64 for each request, and looks at 256 others.</summary>
    [Fact]
    public void Choose_OneOfManyIsNotAtItsLimit_FindsIt()
    {
        BackendState[] backends = Backends(256);
        Array.ForEach(backends[1..], AtItsLimit);
        Send(new CollaborativeBalancer(), backends, 100, TimeSpan.Zero)[0].ShouldBe(100);
    }

    /// <summary>Forty times 256 are more than all. Choices among a few in between, as of a session, do not set it back.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(9_999)]
    public void Choose_OneOfVeryManyIsNotAtItsLimit_SeveralTogetherFindIt(int free)
    {
        BackendState[] backends = Backends(10_000);
        Array.ForEach(backends, AtItsLimit);
        backends[free].Forget();
        CollaborativeBalancer balancer = new();
        bool isFound = false;
        for (int i = 0; i < 40 && !isFound; i++)
        {
            balancer.Choose(backends[5_000..5_001], TimeSpan.Zero).IsChosen.ShouldBeFalse();
            isFound = balancer.Choose(backends, TimeSpan.Zero).Index == free;
        }

        isFound.ShouldBeTrue();
    }

    /// <summary>In overload each refused request looked at all of them, under the picker's lock.</summary>
    [Fact]
    public void Choose_AllOfVeryManyAreAtTheirLimit_LooksAtSome()
    {
        CountingList backends = new(Backends(10_000));
        foreach (BackendState backend in backends)
        {
            Answer(backend);
            AtItsLimit(backend);
        }

        CollaborativeBalancer balancer = new();
        balancer.Choose(backends, TimeSpan.Zero).IsChosen.ShouldBeFalse();
        backends.Reads = 0;
        for (int i = 0; i < 15; i++)
        {
            balancer.Choose(backends, TimeSpan.Zero).RetryAfter.ShouldBe(s_second * 1.95);
        }

        // With those of which usual time and usual load are taken.
        backends.Reads.ShouldBe(15 * (64 + 256 + 64));
    }

    /// <summary>Each request looked through all of them for those that can be reached, and one in sixteen sorted the times of all.</summary>
    [Fact]
    public void Pick_VeryMany_LooksAtSome()
    {
        CountingList backends = new(Backends(10_000));
        using BackendPicker picker = new(new CollaborativeBalancer(), new HandClock());
        foreach (BackendState backend in backends)
        {
            Answer(backend);
        }

        // Those that cannot be reached change nothing.
        for (int i = 0; i < 1_000; i++)
        {
            picker.EndUnsent(backends[picker.Pick(backends).Index], s_second);
        }

        backends.Reads = 0;
        for (int i = 0; i < 1_000; i++)
        {
            picker.Pick(backends).IsChosen.ShouldBeTrue();
        }

        backends.Reads.ShouldBeLessThanOrEqualTo(1_000 * 3 * 64, "10 million where each looks at all");
    }

    [Theory]
    [InlineData(20)]
    [InlineData(10_000)]
    public void Pick_OneOfAllCanBeReached_IsChosen(int count)
    {
        BackendState[] backends = Backends(count);
        using BackendPicker picker = new(new CollaborativeBalancer(), new HandClock());
        foreach (BackendState backend in backends[1..])
        {
            picker.Pick([backend]).IsChosen.ShouldBeTrue();
            picker.EndUnsent(backend, s_second);
        }

        picker.Pick(backends).Index.ShouldBe(0);
        picker.EndUnsent(backends[0], s_second);
        picker.Pick(backends).IsChosen.ShouldBeTrue("all are asked where none can be reached");
    }

    /// <summary>The time to ask again is that of the first of all that were looked at, drawn or not.</summary>
    [Theory]
    [InlineData(0, 1)]
    [InlineData(256, 10_000)]
    public void Choose_VeryManyAreAtTheirLimit_TellsTheFirstThatMayTakeARequest(int from, int to)
    {
        BackendState[] backends = Backends(10_000);
        Array.ForEach(backends, AtItsLimit);
        Array.ForEach(backends[from..to], static backend => backend.Due = s_second);
        new CollaborativeBalancer().Choose(backends, TimeSpan.Zero).RetryAfter.ShouldBe(s_second * 0.95);
    }

    /// <summary>Its point counts for ten seconds, and it tells none while it gets no request.</summary>
    [Fact]
    public void Choose_LowestPoint_MayBeAskedAgainWhenItCountsNoMore()
    {
        BackendState[] backends = Backends(1);
        Tell(backends[0], 0.001);
        CollaborativeBalancer balancer = new();
        balancer.Choose(backends, TimeSpan.Zero).IsChosen.ShouldBeTrue();
        balancer.Choose(backends, s_second).RetryAfter.ShouldBe(s_second * 9);
        balancer.Choose(backends, s_second * 10).IsChosen.ShouldBeTrue();
    }

    [Fact]
    public void Choose_OverASecond_KeepsTheRate()
    {
        BackendState[] backends = Backends(2);
        Tell(backends[0], 100);
        CollaborativeBalancer balancer = new();
        int limited = 0;
        for (int i = 0; i < 1000; i++)
        {
            BalancerChoice choice = balancer.Choose(backends, TimeSpan.FromMilliseconds(i));
            backends[choice.Index].Begin();
            limited += choice.Index == 0 ? 1 : 0;
            if (choice.Index == 0)
            {
                // It answers at once and so is always the first choice.
                backends[0].End(null, TimeSpan.FromMilliseconds(i));
            }
        }

        limited.ShouldBeInRange(100, 106);
        backends[0].Diverted.ShouldBeGreaterThan(800);
    }

    [Fact]
    public void Choose_RequestsInFlight_GoesWhereFewestAre()
    {
        BackendState[] backends = Backends(3);
        backends[0].Begin();
        backends[2].Begin();
        backends[2].Begin();
        new CollaborativeBalancer().Choose(backends, TimeSpan.Zero).Index.ShouldBe(1);
    }

    [Fact]
    public void Choose_OthersRequests_CountAsWell()
    {
        BackendState[] backends = Backends(2);
        backends[1].Begin();
        TellOthers(backends[0], 5, TimeSpan.Zero);
        TellOthers(backends[1], 1, TimeSpan.Zero);
        new CollaborativeBalancer().Choose(backends, TimeSpan.Zero).Index.ShouldBe(1);
    }

    [Fact]
    public void Choose_NotHeardOfForAWhile_IsNotTakenForEmpty()
    {
        BackendState[] backends = Backends(2);
        TellOthers(backends[0], 10, TimeSpan.Zero);
        TellOthers(backends[1], 9, s_second * 0.95);
        new CollaborativeBalancer().Choose(backends, s_second * 0.95).Index.ShouldBe(1);
    }

    [Fact]
    public void Choose_NeverHeardOf_IsTakenForUsual()
    {
        // Of fifty balancers each would send the new one all it has.
        BackendState[] backends = Backends(3);
        TellOthers(backends[0], 6, TimeSpan.Zero);
        TellOthers(backends[1], 2, TimeSpan.Zero);
        CollaborativeBalancer balancer = new();
        int[] sent = [0, 0, 0];
        for (int i = 0; i < 6; i++)
        {
            int index = balancer.Choose(backends, TimeSpan.Zero).Index;
            backends[index].Begin();
            sent[index]++;
        }

        // The second has two of others, and the third is taken to have four.
        sent.ShouldBe([0, 4, 2]);
    }

    [Fact]
    public void Choose_UsualLoad_IsOfThoseThatToldLately()
    {
        BackendState[] backends = Backends(2);
        TellOthers(backends[0], 100, TimeSpan.Zero);
        TellOthers(backends[1], 10, s_second * 5);
        backends[1].Begin();
        new CollaborativeBalancer().Choose(backends, s_second * 5).Index.ShouldBe(0);
    }

    [Fact]
    public void Choose_UsualLoad_IsLookedForAgain()
    {
        BackendState[] backends = Backends(2);
        CollaborativeBalancer balancer = new();
        Array.ForEach(backends, static b => Answer(b));
        balancer.Choose(backends, TimeSpan.Zero);
        TellOthers(backends[1], 10, TimeSpan.Zero);
        int[] chosen = [.. Enumerable.Range(0, 40).Select(_ => balancer.Choose(backends, TimeSpan.Zero).Index)];
        chosen[..15].ShouldAllBe(static index => index == 0);
        chosen[15..].Count(static index => index == 1).ShouldBeInRange(10, 15);
    }

    [Fact]
    public void Constructor_BadOption_NamesIt() =>
        Should.Throw<ArgumentOutOfRangeException>(() => new CollaborativeBalancer(new CollaborativeBalancerOptions { MostCompared = 1 }))
            .Message.ShouldContain("MostCompared is '1'; allowed: at least 2");

    /// <summary>With such a weight it got all requests, or none although it was the only one.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(double.NaN)]
    [InlineData(double.PositiveInfinity)]
    public void Weight_OutOfRange_IsNamed(double weight) =>
        Should.Throw<ArgumentOutOfRangeException>(() => new BackendState("b", TimeSpan.Zero) { Weight = weight })
            .Message.ShouldStartWith(string.Create(System.Globalization.CultureInfo.InvariantCulture, $"Weight is '{weight}'; allowed: above 0 and finite."));

    [Theory]
    [InlineData(69, true, false)]
    [InlineData(145, true, false)]
    [InlineData(62, true, true)]
    [InlineData(160, false, false)]
    public void Choose_ServiceTime_CountsWhereItIsNoChance(int milliseconds, bool isFirstWithFewer, bool isFirstWithMore)
    {
        // The others take 100 ms and have five requests each, with the one that is sent.
        IsFirst(own: 0).ShouldBe(isFirstWithFewer);
        IsFirst(own: 2).ShouldBe(isFirstWithMore);

        bool IsFirst(int own)
        {
            BackendState[] backends = Backends(4);
            for (int i = 0; i < backends.Length; i++)
            {
                TimeSpan time = TimeSpan.FromMilliseconds(i == 0 ? milliseconds : 100);
                backends[i].Take(new LoadReport { Run = 1, Sequence = 0, InFlight = 3, ServiceTime = time }, TimeSpan.Zero);
                for (int j = 0; j < (i == 0 ? own : 1); j++)
                {
                    backends[i].Begin();
                }
            }

            return new CollaborativeBalancer().Choose(backends, TimeSpan.Zero).Index == 0;
        }
    }

    [Fact]
    public void Choose_OneIsFasterThanAllOthers_TheOthersAreStillComparedWithTheirMedian()
    {
        // In thousandths: 60, and four around 100. The last is no slower than the others by all that can be told, and has one request less.
        int[] times = [60, 100, 100, 100, 140];
        int[] own = [20, 3, 3, 3, 2];
        BackendState[] backends = Backends(times.Length);
        for (int i = 0; i < times.Length; i++)
        {
            backends[i].Take(new LoadReport { Run = 1, Sequence = 0, InFlight = 0, ServiceTime = TimeSpan.FromMilliseconds(times[i]) }, TimeSpan.Zero);
            for (int j = 0; j < own[i]; j++)
            {
                backends[i].Begin();
            }
        }

        new CollaborativeBalancer().Choose(backends, TimeSpan.Zero).Index.ShouldBe(4);
    }

    [Fact]
    public void Choose_NothingIsKnownOfOne_ItsTimeIsTakenForUsual()
    {
        BackendState[] backends = Backends(2);
        backends[0].Take(new LoadReport { Run = 1, Sequence = 0, ServiceTime = TimeSpan.FromMilliseconds(100) }, TimeSpan.Zero);
        backends[0].Begin();
        CollaborativeBalancer balancer = new();
        balancer.Choose(backends, TimeSpan.Zero).Index.ShouldBe(1);
        backends[1].Begin();
        backends[1].Begin();
        balancer.Choose(backends, TimeSpan.Zero).Index.ShouldBe(0);
    }

    [Theory]
    [InlineData(1, 10)]
    [InlineData(39, 200)]
    public void Choose_FirstAnswerOfANewOneIsShort_ItGetsNoMultipleOfTheOthers(int answers, int more)
    {
        // 100 ms are usual. The new one has told 1 ms: by chance, or because it is as fast, which only many answers show.
        BackendState[] backends = Backends(4);
        for (int i = 0; i < backends.Length; i++)
        {
            (int ms, int of) = i == 0 ? (1, answers) : (100, 39);
            backends[i].Take(new LoadReport { Run = 1, Sequence = 0, ServiceTime = TimeSpan.FromMilliseconds(ms), ServiceTimeAnswers = of }, TimeSpan.Zero);
        }

        CollaborativeBalancer balancer = new();
        for (int i = 0; i < 4 * more; i++)
        {
            backends[balancer.Choose(backends, TimeSpan.Zero).Index].Begin();
        }

        if (answers == 1)
        {
            backends[0].InFlight.ShouldBeInRange(more - 1, more + 1);
        }
        else
        {
            backends[0].InFlight.ShouldBeGreaterThan(2 * more);
        }
    }

    [Fact]
    public void Choose_OneHasAnswered_OthersAreTriedAsWell()
    {
        BackendState[] backends = Backends(3);
        CollaborativeBalancer balancer = new();
        for (int i = 0; i < 3; i++)
        {
            Answer(backends[balancer.Choose(backends, TimeSpan.Zero).Index]);
        }

        backends.ShouldAllBe(static b => b.Admitted == 1);
    }

    private static void AtItsLimit(BackendState backend)
    {
        Tell(backend, 1);
        backend.Due = s_second * 2;
    }

    private static void Answer(BackendState backend)
    {
        backend.Begin();
        backend.End(TimeSpan.FromMilliseconds(1), TimeSpan.Zero);
    }

    private static void TellOthers(BackendState backend, int inFlight, TimeSpan at) =>
        backend.Take(new LoadReport { Run = 1, Sequence = 0, InFlight = inFlight }, at).ShouldBe(ReportVerdict.Taken);

    /// <summary>Counts how often one of them is looked at.</summary>
    private sealed class CountingList(BackendState[] backends) : IReadOnlyList<BackendState>
    {
        public int Reads { get; set; }

        public int Count => backends.Length;

        public BackendState this[int index]
        {
            get
            {
                Reads++;
                return backends[index];
            }
        }

        public IEnumerator<BackendState> GetEnumerator() => ((IEnumerable<BackendState>)backends).GetEnumerator();

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
    }
}
