using AdaptivePool.Guests;
using AdaptivePool.Internal;
using AdaptivePool.Runtime;

namespace AdaptivePool.Tests.Guests;

/// <summary>Guests that are held up send the others to workers.</summary>
public sealed partial class BriefWaitsTests
{
    [Fact]
    public void TryRunAsGuest_OneIsStalled_OthersStayGuests()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        int before = RuntimeMinimum.Process.Raised;
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        Task[] sleepers = Sleep(workClass, 1, end);
        Eventually.Be(() => !workClass.Guests!.IsGuest || RuntimeMinimum.Process.Raised > before, "its thread is replaced");

        // A second of it costs the trust.
        (MayRun(workClass) || !workClass.Guests!.IsGuest).ShouldBeTrue("a stall holds up nobody else");
        end.Set();
        Eventually.End(Task.WhenAll(sleepers));
    }

    [Fact]
    public void TryRunAsGuest_ManyAreHeldUp_OthersGoToWorkersUntilTheyAreBrief()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = null!;
        bool isTrusted = false;
        for (int attempt = 0; attempt < 5 && !isTrusted; attempt++)
        {
            // The whole second in which they are held up and the class trusted may pass while the other thread has no core.
            workClass = Begin(pool, $"brief {attempt}");
            using var end = new ManualResetEventSlim(false, spinCount: 0);
            Task[] sleepers = Sleep(workClass, (2 * Environment.ProcessorCount) + 1, end);
            RunOnServer(() =>
            {
                while (workClass.TryRunAsGuest(s_run, static () => Task.CompletedTask, out _))
                {
                    Thread.Sleep(1);
                }

                isTrusted = workClass.Guests!.IsGuest;
            });
            end.Set();
            Eventually.End(Task.WhenAll(sleepers));
        }

        isTrusted.ShouldBeTrue("requests that are held up cost no trust, and take no other with them");

        // Many: where the machine is slow, many guests ran until they were held up, and some of these were timed.
        for (int i = 0; i < 200; i++)
        {
            Core(workClass).Runs!.End(new ThreadUse(0, -1), 3e-3);
        }

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

    private static Task[] Sleep(WorkClass workClass, int count, ManualResetEventSlim end) =>
    [
        .. Enumerable.Range(0, count).Select(_ => OnServer(() => workClass.TryRunAsGuest(
            s_run,
            () =>
            {
                end.Wait();
                return Task.CompletedTask;
            },
            out Task? _))),
    ];
}
