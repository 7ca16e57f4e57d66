using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

/// <summary>A guest that is held up sends the others to workers.</summary>
public sealed partial class BriefWaitsTests
{
    [Fact]
    public void TryRunAsGuest_OneIsHeldUp_OthersGoToWorkersUntilTheyAreBrief()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = null!;
        bool isTrusted = false;
        for (int attempt = 0; attempt < 5 && !isTrusted; attempt++)
        {
            // The whole second in which it is held up and the class trusted may pass while the other thread has no core.
            workClass = Begin(pool, $"brief {attempt}");
            using var end = new ManualResetEventSlim(false, spinCount: 0);
            Task sleeper = OnServer(() => workClass.TryRunAsGuest(s_run, () => { end.Wait(); return Task.CompletedTask; }, out _).ShouldBeTrue());
            RunOnServer(() =>
            {
                while (workClass.TryRunAsGuest(s_run, static () => Task.CompletedTask, out _))
                {
                    Thread.Sleep(1);
                }

                isTrusted = workClass.Guests!.IsGuest;
            });
            end.Set();
            Eventually.End(sleeper);
        }

        isTrusted.ShouldBeTrue("a request that is held up costs no trust, and takes no other with it");
        Look(pool, Full, workClass, mean: 3e-3);
        MayRun(workClass).ShouldBeFalse("what runs on workers is not brief");
        Look(pool, Full, workClass, BriefWaitRule.FewestRequests - 1);
        MayRun(workClass).ShouldBeFalse("too few requests to know");
        Eventually.Be(
            () =>
            {
                Look(pool, Full, workClass);
                return MayRun(workClass);
            },
            "nobody is held up any more");
    }
}
