using AdaptivePool.Control;

namespace AdaptivePool.Tests.Control;

/// <summary>What is remembered is found again, near work included, other work excluded, and never more than there is room for.</summary>
public sealed class OptimumMemoryTests
{
    private static readonly WorkloadProfile s_work = new() { Cores = 2, ActiveSeconds = 0.000_2, WaitingSeconds = 0.02, ActiveRounds = 3, Connections = 100, ThreadCreationSeconds = 0.000_1, RequestGapSeconds = 0.5 };

    [Fact]
    public void Recall_SameProfile_GivesSizeAndThroughput()
    {
        OptimumMemory memory = new();
        memory.Remember("a", s_work, 200, 10_000);

        memory.Recall("a", s_work).ShouldBe(new OptimumRecord("a", s_work, 200, 10_000));
        memory.Recall("b", s_work).ShouldBeNull();
    }

    public static TheoryData<string, WorkloadProfile, bool> Others => new()
    {
        { "wait half as long again", s_work with { WaitingSeconds = 0.03 }, true },
        { "wait twice as long", s_work with { WaitingSeconds = 0.04 }, false },
        { "wait half as long", s_work with { WaitingSeconds = 0.01 }, false },
        { "twice the CPU", s_work with { ActiveSeconds = 0.000_4 }, false },
        { "twice the rounds", s_work with { ActiveRounds = 6 }, false },
        { "twice the clients", s_work with { Connections = 200 }, true },
        { "ten times the clients", s_work with { Connections = 1_000 }, false },
        { "other cores", s_work with { Cores = 3 }, false },
        { "ten times slower threads", s_work with { ThreadCreationSeconds = 0.001 }, true },
        { "ten times the gap", s_work with { RequestGapSeconds = 5 }, false },
        { "features not known", s_work with { Connections = double.NaN, ActiveRounds = 0, RequestGapSeconds = double.PositiveInfinity, ThreadCreationSeconds = -1 }, true },
        { "no duration in common", new WorkloadProfile { Cores = 2, ActiveRounds = 3, Connections = 100 }, false },
        { "only the wait", new WorkloadProfile { WaitingSeconds = 0.02 }, true },
        { "nothing", default, false },
    };

    [Theory]
    [MemberData(nameof(Others))]
    public void Recall_OtherWork_OnlyWhenNear(string what, WorkloadProfile other, bool found)
    {
        OptimumMemory memory = new();
        memory.Remember("a", s_work, 200, 10_000);

        memory.Recall("a", other).HasValue.ShouldBe(found, what);
    }

    [Fact]
    public void Recall_SeveralWithinReach_TheNearest()
    {
        OptimumMemory memory = new();
        memory.Remember("a", s_work with { WaitingSeconds = 0.02 }, 200, 10_000);
        memory.Remember("a", s_work with { WaitingSeconds = 0.027 }, 270, 10_000);

        memory.Recall("a", s_work with { WaitingSeconds = 0.022 })!.Value.Size.ShouldBe(200);
        memory.Recall("a", s_work with { WaitingSeconds = 0.025 })!.Value.Size.ShouldBe(270);
    }

    [Fact]
    public void Remember_Near_Replaces()
    {
        OptimumMemory memory = new();
        memory.Remember("a", s_work, 200, 10_000);
        memory.Remember("a", s_work with { WaitingSeconds = 0.022 }, 210, 9_000);

        memory.Count.ShouldBe(1);
        memory.Recall("a", s_work)!.Value.Size.ShouldBe(210);
    }

    [Fact]
    public void Remember_ProfileThatTellsNothing_IsNotKept()
    {
        OptimumMemory memory = new();
        memory.Remember("a", new() { Cores = 2, Connections = 7 }, 200, 10_000);

        memory.Count.ShouldBe(0);
        memory.Version.ShouldBe(0);
    }

    [Fact]
    public void Remember_Full_TheOneUsedLongestAgoMakesRoom()
    {
        OptimumMemory memory = new(3);
        memory.Remember("a", s_work, 1, 1);
        memory.Remember("b", s_work, 2, 1);
        memory.Remember("c", s_work, 3, 1);
        memory.Recall("a", s_work);

        memory.Remember("d", s_work, 4, 1);

        memory.ToList().Select(static r => r.ClassName).ShouldBe(["c", "a", "d"]);
    }

    [Fact]
    public void Forget_TakesWhatRecallWouldGive()
    {
        OptimumMemory memory = new();
        memory.Remember("a", s_work, 200, 10_000);
        memory.Remember("b", s_work, 20, 10_000);

        memory.Forget("a", s_work with { WaitingSeconds = 0.025 }).ShouldBeTrue();

        memory.Forget("a", s_work).ShouldBeFalse();
        memory.ToList().ShouldHaveSingleItem().ClassName.ShouldBe("b");
    }

    [Fact]
    public void Version_ChangesOnlyWithTheRecords()
    {
        OptimumMemory memory = new();
        memory.Remember("a", s_work, 200, 10_000);
        long version = memory.Version;

        memory.Recall("a", s_work);
        memory.Forget("b", s_work);
        memory.Version.ShouldBe(version);

        memory.Forget("a", s_work);
        memory.Version.ShouldNotBe(version);
    }

    [Fact]
    public void Arguments_OutOfRange_AreRefused()
    {
        OptimumMemory memory = new();
        Should.Throw<ArgumentOutOfRangeException>(() => new OptimumMemory(0));
        Should.Throw<ArgumentOutOfRangeException>(() => new OptimumMemory(10_001));
        Should.Throw<ArgumentOutOfRangeException>(() => memory.Remember("a", s_work, 0, 1));
        foreach (double rate in new[] { 0, -1, double.NaN, double.PositiveInfinity })
        {
            Should.Throw<ArgumentOutOfRangeException>(() => memory.Remember("a", s_work, 1, rate));
        }
    }

    [Fact]
    public void Recall_AllocatesNothing()
    {
        OptimumMemory memory = new();
        for (int i = 0; i < 64; i++)
        {
            memory.Remember("a", s_work with { WaitingSeconds = 1e-4 * Math.Pow(1.5, i) }, i + 1, 1);
        }

        memory.Recall("a", s_work);
        Allocation.Of(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                memory.Recall("a", s_work);
            }
        }).ShouldBe(0);
    }

    // Never more than the capacity, the least recently used goes, recall never goes out of its distance: against a list that is simply searched.
    [Fact]
    public void RandomUse_BehavesAsASimpleList()
    {
        int seed = Environment.TickCount;
        Random random = new(seed);
        OptimumMemory memory = new(5);
        List<OptimumRecord> model = [];
        for (int i = 0; i < 5_000; i++)
        {
            string name = random.Next(2) == 0 ? "a" : "b";
            WorkloadProfile profile = new() { WaitingSeconds = 0.001 * Math.Pow(1.15, random.Next(20)) };
            double reach = random.Next(3) == 0 ? OptimumMemory.MergeDistance : OptimumMemory.RecallDistance;
            OptimumRecord[] near = [.. model.Where(r => r.ClassName == name).Where(r => ProfileDistance.Between(r.Profile, profile) < reach).OrderBy(r => ProfileDistance.Between(r.Profile, profile))];
            if (reach < OptimumMemory.RecallDistance)
            {
                memory.Remember(name, profile, i + 1, 1);
                model.RemoveAll(r => near.Length > 0 && r == near[0]);
                if (model.Count == 5)
                {
                    model.RemoveAt(0);
                }

                model.Add(new(name, profile, i + 1, 1));
            }
            else
            {
                OptimumRecord? found = memory.Recall(name, profile);
                found.HasValue.ShouldBe(near.Length > 0, $"seed {seed}, step {i}");
                if (found is { } f)
                {
                    ProfileDistance.Between(f.Profile, profile).ShouldBe(ProfileDistance.Between(near[0].Profile, profile), $"seed {seed}, step {i}");
                    model.Remove(f).ShouldBeTrue($"seed {seed}, step {i}");
                    model.Add(f);
                }
            }

            memory.ToList().ShouldBe(model, $"seed {seed}, step {i}");
        }
    }
}
