using AdaptivePool.Control;

namespace AdaptivePool.Tests.Control;

public sealed class WorkloadProfileTests
{
    private static readonly PoolSample s_sample = new() { Elapsed = TimeSpan.FromSeconds(2), Completions = 1_000, Target = 8, MinTarget = 1, MaxTarget = 64, Cores = 4 };

    [Fact]
    public void From_EverythingMeasured_TakesIt()
    {
        PoolSample sample = s_sample with
        {
            Connections = 40,
            ThreadCreationSeconds = 0.000_1,
            ActiveRounds = 3,
            ActiveRoundSeconds = 0.001,
            WaitingRoundSeconds = 0.01,
            RequestGapSeconds = 0.2,
            WorkerCpuSeconds = 99,
        };

        WorkloadProfile.From(sample).ShouldBe(new WorkloadProfile
        {
            Connections = 40,
            Cores = 4,
            ThreadCreationSeconds = 0.000_1,
            ActiveRounds = 3,
            ActiveSeconds = 0.001,
            WaitingSeconds = 0.01,
            RequestGapSeconds = 0.2,
        });
    }

    [Fact]
    public void From_NoRounds_OneActiveAndOneWaitingRound()
    {
        WorkloadProfile profile = WorkloadProfile.From(s_sample with { WorkerCpuSeconds = 1, MeanServiceTime = TimeSpan.FromMilliseconds(5) });

        profile.ActiveSeconds.ShouldBe(0.001);
        profile.WaitingSeconds.ShouldBe(0.004, 1e-12);
        profile.IsTelling.ShouldBeTrue();
    }

    [Fact]
    public void From_NothingMeasured_TellsNothing()
    {
        WorkloadProfile.From(s_sample with { WorkerCpuSeconds = double.NaN }).IsTelling.ShouldBeFalse();
        WorkloadProfile.From(s_sample with { WorkerCpuSeconds = 1, Completions = 0 }).IsTelling.ShouldBeFalse();
        default(WorkloadProfile).IsTelling.ShouldBeFalse();
    }

    [Fact]
    public void Distance_IsSymmetricZeroToItselfAndBlindBelowTheShortest()
    {
        WorkloadProfile a = new() { ActiveSeconds = 0.001, WaitingSeconds = 1e-6, ActiveRounds = 2 };
        WorkloadProfile b = new() { ActiveSeconds = 0.002, WaitingSeconds = 9e-6, Cores = 2 };

        ProfileDistance.Between(a, a).ShouldBe(0);
        ProfileDistance.Between(a, b).ShouldBe(Math.Log(2), 1e-12);
        ProfileDistance.Between(b, a).ShouldBe(ProfileDistance.Between(a, b));
        ProfileDistance.Between(a, default).ShouldBe(double.PositiveInfinity);
    }
}
