using System.Collections.Concurrent;
using AdaptivePool.Guests;
using AdaptivePool.Runtime;
using AdaptivePool.Tests.Faults;

namespace AdaptivePool.Tests.Guests;

/// <summary>The thread that looks at guests, where the system refuses it.</summary>
public sealed class GuestWatchTests : PoolTest
{
    private readonly RuntimeMinimum _minimum = new(static () => (4, 1_000), static _ => true, new int[RuntimeMinimum.Fields]);

    [Fact]
    public void TryBegin_ThreadRefused_SaysSoAndTheNextCallTriesAgain()
    {
        // The thread counted as begun: nobody ever looked at guests, and the request that had asked for it failed.
        using var threads = new ScriptedThreadSource(static attempt => attempt <= 2);
        var watch = new GuestWatch(threads, _minimum);
        AdaptiveThreadPool pool = CreatePool();
        var changes = new ConcurrentQueue<WorkClassSnapshot>();
        pool.GuestsChanged += (_, e) => changes.Enqueue(e);
        watch.Join();

        watch.TryBegin().ShouldBeFalse();
        watch.Tell(new GuestClass(pool.GetClass("told")), TrustChange.Earned, "because");
        threads.Attempts.ShouldBe(2);
        changes.ShouldBeEmpty();

        watch.TryBegin().ShouldBeTrue();
        Eventually.Be(() => changes.Any(static e => e is { Name: "told", GuestReason: "because" }), "what was told while there was no thread is not lost");
        watch.TryBegin().ShouldBeTrue();
        threads.Attempts.ShouldBe(3, "one thread is enough");
        watch.Leave();
    }

    [Fact]
    public void Run_OneGuestHangs_CostsItsClassTheTrustOnce()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = GuestTests.Earn(pool);
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        Task hung = Task.Run(() => workClass.TryRunAsGuest(static it => { it.Wait(); return Task.CompletedTask; }, end, out _).ShouldBeTrue());
        Eventually.Be(() => !workClass.Guests!.IsGuest, "it is taken in");

        // Each time it was trusted, the same guest took it in again, and doubled what trust takes: ten times within a minute.
        GuestTests.Earn(pool);
        long turn = GuestWatch.Process.Turns.Now;
        Eventually.Be(() => GuestWatch.Process.Turns.Now > turn + 4, "the watch looks again");
        bool isGuest = workClass.Guests!.IsGuest;
        end.Set();
        Eventually.End(hung);
        isGuest.ShouldBeTrue();
    }

    [Fact]
    public void Run_GuestHasEnded_SleepsWithinAFewLooks()
    {
        // It looked on for a second: with a request a second it never slept, and took ten times the CPU of all else in the process.
        var watch = new GuestWatch(ThreadSource.System, _minimum);
        GuestSlot slot = GuestSlot.Current;
        watch.Join();
        watch.Add(slot);
        Eventually.Be(() => watch.IsAsleep, "there is no guest");
        long before = watch.Turns.Now;

        object? outer = slot.Enter(this);
        watch.WakeUp();
        slot.Leave(outer);
        long ended = watch.Turns.Now;

        Eventually.Be(() => watch.IsAsleep, "it has ended");
        watch.Turns.Now.ShouldBeGreaterThan(before);
        (watch.Turns.Now - ended).ShouldBeLessThanOrEqualTo(3);
        watch.Leave();
    }

    [Fact]
    public void Run_MinimumIsRefusedWhenItIsPutBack_IsPutBackWithoutAnotherGuest()
    {
        // The watch fell asleep, and the next guest put it back.
        int least = 4;
        int refusals = 0;
        var minimum = new RuntimeMinimum(() => (Volatile.Read(ref least), 1_000), Write, new int[RuntimeMinimum.Fields]);
        var watch = new GuestWatch(ThreadSource.System, minimum);
        GuestSlot slot = GuestSlot.Current;
        watch.Join();
        watch.Add(slot);
        object? outer = slot.Enter(this);
        watch.WakeUp();
        Eventually.Be(() => minimum.Raised == 1, "it is held up");
        slot.Leave(outer);

        Eventually.Be(() => minimum.Raised == 0 && Volatile.Read(ref least) == 4, "it is put back");
        Eventually.Be(() => watch.IsAsleep, "nothing is lent");
        watch.Leave();

        bool Write(int threads)
        {
            if (threads == 4 && Interlocked.Increment(ref refusals) < 10)
            {
                return false;
            }

            Volatile.Write(ref least, threads);
            return true;
        }
    }
}
