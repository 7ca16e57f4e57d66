using System.Diagnostics;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

public sealed class BlockerTableTests
{
    private readonly BlockerTable _table = new();

    [Fact]
    public void Get_SameKind_IsTheSameEntry()
    {
        BlockerEntry one = _table.Get("M", "lock", null, "c");
        _table.Get(new string(['M']), "lock", null, "c").ShouldBeSameAs(one);
        _table.Get("M", "lock", "reason", "c").ShouldNotBeSameAs(one);
        _table.Get("M", "lock", null, "d").ShouldNotBeSameAs(one);
    }

    [Fact]
    public void Get_MoreThanFit_IsBoundedAndCountedAsOther()
    {
        for (int i = 0; i < 1_000; i++)
        {
            _table.Get($"M{i}", "lock", null, "c").Add(TimeSpan.FromMilliseconds(i));
        }

        _table.Entries.Count().ShouldBe(193);
        _table.Entries.Sum(entry => entry.Describe(0, TimeSpan.Zero, TimeSpan.Zero).Count).ShouldBe(1_000);
        _table.Entries.Single(entry => entry.Kind == "(other)").Describe(0, TimeSpan.Zero, TimeSpan.Zero).LongestTime.ShouldBe(TimeSpan.FromMilliseconds(999));
    }

    [Fact]
    public void Get_AsManyAsFit_HaveEntriesOfTheirOwn()
    {
        BlockerEntry[] entries = [.. Enumerable.Range(0, 192).Select(i => _table.Get($"M{i}", "lock", null, "c"))];
        entries.Distinct().Count().ShouldBe(192);
        entries.ShouldNotContain(static entry => entry.Kind == "(other)");
    }

    [Fact]
    public void Add_FromManyThreads_LosesNothing()
    {
        var threads = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < 2_000; i++)
            {
                _table.Get($"M{i % 16}", "lock", null, "c").Add(TimeSpan.FromTicks(i));
            }
        })).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join(Eventually.Patience).ShouldBeTrue());
        Blocker[] all = [.. _table.Entries.Select(entry => entry.Describe(0, TimeSpan.Zero, TimeSpan.Zero)).Where(blocker => blocker.Count > 0)];
        all.Length.ShouldBe(16);
        all.Sum(blocker => blocker.Count).ShouldBe(8_000);
        all.Max(blocker => blocker.LongestTime).ShouldBe(TimeSpan.FromTicks(1_999));
        all.Sum(blocker => blocker.TotalTime.Ticks).ShouldBe(4L * 2_000 * 1_999 / 2);
    }

    [Fact]
    public void TryTakeLook_BeyondTheBudget_IsRefusedUntilTimeHasPassed()
    {
        long now = Stopwatch.Frequency * 1_000;
        Enumerable.Range(0, 1_000).Count(_ => _table.TryTakeLook(now)).ShouldBe(256);
        Enumerable.Range(0, 1_000).Count(_ => _table.TryTakeLook(now + (Stopwatch.Frequency / 10))).ShouldBe(10);
    }

    [Fact]
    public void TryTakeLook_FromManyThreads_TakesEachLookOnce()
    {
        long now = Stopwatch.Frequency * 1_000;
        int taken = 0;
        var threads = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < 2_000; i++)
            {
                if (_table.TryTakeLook(now))
                {
                    Interlocked.Increment(ref taken);
                }
            }
        })).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join(Eventually.Patience).ShouldBeTrue());
        taken.ShouldBe(256);
    }

    [Fact]
    public void Find_UnknownKind_AddsNothing()
    {
        _table.Find("M", "lock", "c").ShouldBeNull();
        _table.Entries.Count().ShouldBe(1, "only the one for what does not fit");
        BlockerEntry added = _table.Get("M", "lock", null, "c");
        _table.Find("M", "lock", "c").ShouldBeSameAs(added);
    }

    [Fact]
    public void TakeFindings_Noted_IsToldOnce()
    {
        BlockerEntry entry = _table.Get("M", "lock", null, "c");
        entry.NoteFinding().ShouldBeTrue();
        entry.NoteFinding().ShouldBeFalse();
        _table.NoteFindings();
        _table.TakeFindings().ShouldHaveSingleItem().ShouldBeSameAs(entry);
        entry.NoteFinding().ShouldBeFalse("it was told before");
        _table.HasFindings.ShouldBeFalse();
    }

    [Fact]
    public void TryTakeLook_AtFirstAndAfterAQuietTime_GivesTheMostAndThenTheRate()
    {
        Taken(at: 50).ShouldBe(BlockerTable.MostLooks);
        Taken(at: 50.009).ShouldBe(0);
        Taken(at: 50.0101).ShouldBe(1);
        Taken(at: 51.0102).ShouldBe(BlockerTable.LooksPerSecond);
        Taken(at: 1_000).ShouldBe(BlockerTable.MostLooks, "what a quiet time saves is bounded");
    }

    [Fact]
    public void TryTakeLook_AskedAllTheTime_GivesTheRateAndNoMore()
    {
        Taken(at: 1);
        int taken = 0;
        for (int tick = 1; tick <= 10_000; tick++)
        {
            taken += Taken(1.0001 + (tick / 1_000.0));
        }

        taken.ShouldBe(10 * BlockerTable.LooksPerSecond);
    }

    private int Taken(double at)
    {
        int taken = 0;
        while (_table.TryTakeLook((long)(at * Stopwatch.Frequency)))
        {
            taken++;
        }

        return taken;
    }
}
