using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

/// <summary>Few requests that wait at once on a machine with idle cores.</summary>
public sealed partial class BriefWaitsTests
{
    private const double Idle = 0.6;

    [Fact]
    public void Look_FewAtOnceOnAnIdleMachine_HasGuestsWhateverElseArrives()
    {
        (AdaptiveThreadPool pool, WorkClass workClass) = BeginFew();
        workClass.Guests!.Reason.ShouldBe("its requests ran for 500 us on average, waits included, few at once on an idle machine");
        for (int i = 0; i < 3 * BriefWaitRule.LooksToEnd; i++)
        {
            Core(pool.GetClass("other")).AddCompleted(1_000);
            Guest(workClass);
            Look(pool, Idle);
            MayRun(workClass).ShouldBeTrue();
        }
    }

    [Fact]
    public void Look_ManyAtOnce_HasNone()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Create(pool);
        for (int i = 0; i < 3 * LooksToBegin; i++)
        {
            Look(pool, Idle, workClass, s_many);
            workClass.Guests!.IsGuest.ShouldBeFalse();
        }
    }

    [Fact]
    public void Look_TwoClassesThatAreManyTogether_HaveNone()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass one = Create(pool);
        WorkClass two = Create(pool, "two");
        int perClass = (int)(0.6 * BriefWaitRule.FewToBegin * Environment.ProcessorCount * BriefWaitRule.Period.TotalSeconds / 0.5e-3);
        for (int i = 0; i < 3 * LooksToBegin; i++)
        {
            Serve(two, Math.Max(perClass, BriefWaitRule.FewestRequests), 0.5e-3);
            Look(pool, Idle, one, Math.Max(perClass, BriefWaitRule.FewestRequests));
        }

        one.Guests!.IsGuest.ShouldBeFalse();
        two.Guests!.IsGuest.ShouldBeFalse();
    }

    [Fact]
    public void Look_FewBecomeMany_GoToWorkersAtOnceAndLoseTheirGuests()
    {
        (AdaptiveThreadPool pool, WorkClass workClass) = BeginFew();
        Look(pool, Idle, workClass, s_many);
        MayRun(workClass).ShouldBeFalse();
        for (int i = 1; i < BriefWaitRule.LooksToEnd; i++)
        {
            Look(pool, Idle, workClass, s_many);
        }

        workClass.Guests!.IsGuest.ShouldBeFalse();
        workClass.Guests.Reason.ShouldBe("many requests wait at once, and the machine has idle cores");
    }

    [Fact]
    public void Look_FewBecomeManyAloneOnAFullMachine_StayGuests()
    {
        (AdaptiveThreadPool pool, WorkClass workClass) = BeginFew();
        for (int i = 0; i < 2 * BriefWaitRule.LooksToEnd; i++)
        {
            Look(pool, Full, workClass, s_many);
            MayRun(workClass).ShouldBeTrue();
        }
    }

    [Fact]
    public void Look_NobodyComes_StaysTrusted()
    {
        (AdaptiveThreadPool pool, WorkClass workClass) = BeginFew();
        for (int i = 0; i < 2 * BriefWaitRule.LooksToEnd; i++)
        {
            Look(pool, 1);
        }

        MayRun(workClass).ShouldBeTrue();
    }

    private (AdaptiveThreadPool Pool, WorkClass Few) BeginFew()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Create(pool);
        for (int i = 0; i < LooksToBegin; i++)
        {
            workClass.Guests!.IsGuest.ShouldBeFalse();
            Look(pool, Idle, workClass, requests: 80);
        }

        MayRun(workClass).ShouldBeTrue();
        return (pool, workClass);
    }
}
