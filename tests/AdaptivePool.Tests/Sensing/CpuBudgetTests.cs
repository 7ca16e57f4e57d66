using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class CpuBudgetTests
{
    [Fact]
    public void ShareHogs_AloneOrTogether_FollowsWhoIsThere()
    {
        var budget = new CpuBudget();
        CpuBudget.Member first = budget.Join();
        first.ShareHogs(9, 3).ShouldBe(3);

        CpuBudget.Member second = budget.Join();
        Eventually.Be(() => Tell(first, 1) && second.ShareHogs(9, 3) == 1, "the rest");
        Eventually.Be(() => Tell(second, 1) && first.ShareHogs(9, 3) == 2, "a part");

        second.ShareHogs(0, 3);
        Tell(second, 1);
        first.ShareHogs(9, 3).ShouldBe(3, "who has no hogs takes nothing");

        second.ShareHogs(9, 3);
        second.Leave();
        first.ShareHogs(9, 3).ShouldBe(3);
        budget.Count.ShouldBe(1);
    }

    // Its hogs may end after its last look, and it looks at nothing until it has work again.
    [Fact]
    public void ShareHogs_OtherPoolSleeps_ItsHogsHaveEnded()
    {
        var budget = new CpuBudget();
        CpuBudget.Member first = budget.Join();
        CpuBudget.Member second = budget.Join();
        first.ShareHogs(9, 3);
        Eventually.Be(() => Tell(first, 1) && second.ShareHogs(9, 3) == 1, "while the other one looks it has its part");

        Eventually.Be(() => second.ShareHogs(9, 3) == 3, "a pool that says nothing more has no hogs");
    }

    [Fact]
    public void OthersCores_TwoPools_EachSeesTheOther()
    {
        var budget = new CpuBudget();
        CpuBudget.Member first = budget.Join();
        CpuBudget.Member second = budget.Join();
        first.OthersCores().ShouldBe(0);

        // Told again and again, because a reading that is old counts for nothing.
        Eventually.Be(() => Tell(first, 1.5) && second.OthersCores() == 1.5, "the use of the other pool is seen");
        first.OthersCores().ShouldBe(0, "the own use is not others'");
        Eventually.Be(() => second.OthersCores() == 0, "a pool that says nothing more sleeps");
    }

    [Fact]
    public void OthersThreads_IsWhatTheOthersMayStillStart()
    {
        var budget = new CpuBudget();
        int existing = 3;
        CpuBudget.Member first = budget.Join(threads: () => existing);
        CpuBudget.Member second = budget.Join();
        first.TellThreads(10);
        Eventually.Be(() => Tell(first, 0) && second.OthersThreads() == 7, "what it may start");
        first.OthersThreads().ShouldBe(0, "what it may start itself is not the others'");
        existing = 10;
        Eventually.Be(() => Tell(first, 0) && second.OthersThreads() == 0, "it has started all");
        existing = 3;
        Eventually.Be(() => Tell(first, 0) && second.OthersThreads() == 7, "they have ended");
        Eventually.Be(() => second.OthersThreads() == 0, "a pool that says nothing more sleeps");
    }

    [Fact]
    public void AwakePools_AreThoseThatTellAndTheOneThatAsks()
    {
        var budget = new CpuBudget();
        CpuBudget.Member first = budget.Join();
        CpuBudget.Member second = budget.Join();
        second.AwakePools.ShouldBe(1, "the other one has not looked yet");
        Eventually.Be(() => Tell(first, 0) && second.AwakePools == 2, "both are awake");
        Eventually.Be(() => second.AwakePools == 1, "a pool that says nothing more sleeps");
    }

    [Fact]
    public void ShareHogs_ManyPools_OneThreadEachAtLeast()
    {
        var budget = new CpuBudget();
        CpuBudget.Member[] members = [.. Enumerable.Range(0, 100).Select(_ => budget.Join())];
        Array.ForEach(members, static m => m.ShareHogs(9, 3));
        Eventually.Be(() => Array.TrueForAll(members, static m => Tell(m, 1)) && Array.TrueForAll(members, static m => m.ShareHogs(9, 3) == 1), "one each");
    }

    [Fact]
    public void ShareHogs_BesideBackgroundWork_NeitherTakesFromTheOther()
    {
        var budget = new CpuBudget();
        CpuBudget.Member usual = budget.Join();
        CpuBudget.Member elastic = budget.Join(isElastic: true);
        elastic.ShareHogs(9, 3).ShouldBe(3);
        usual.ShareHogs(9, 3).ShouldBe(3);
        elastic.ShareHogs(9, 3).ShouldBe(3);
    }

    [Fact]
    public void ElasticCores_BackgroundWorkUsesSome_FreeForOthersOnly()
    {
        var budget = new CpuBudget();
        CpuBudget.Member usual = budget.Join();
        CpuBudget.Member elastic = budget.Join(isElastic: true);
        Eventually.Be(() => Tell(elastic, 1.5) && usual.ElasticCores() == 1.5, "what background work uses is free");
        Eventually.Be(() => Tell(usual, 1) && elastic.OthersCores() == 1 && elastic.ElasticCores() == 0, "what other work uses is not");
    }

    private static bool Tell(CpuBudget.Member member, double cores)
    {
        member.TellUse(cores);
        return true;
    }
}
