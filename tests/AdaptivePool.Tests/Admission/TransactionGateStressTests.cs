using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

/// <summary>Real threads on one gate whose limit changes all the time.</summary>
public sealed class TransactionGateStressTests
{
    private const int Threads = 4;
    private const int Rounds = 5_000;
    private const int MostTransactions = 3;
    private const int RacesOfEach = 200_000;

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public async Task Passes_WhileTheLimitChanges_NeverExceedTheLimitInForceAndAllPermitsComeBack(int groupCount)
    {
        using var gate = new TransactionGate(
            new TransactionGateOptions { PermitLimit = 1, GroupCount = groupCount, FlowsWithContext = false, QueueLimit = 2 });
        using var done = new CancellationTokenSource();
        int inside = 0;
        int most = 0;
        int overLimit = 0;
        long[] begun = new long[Threads];
        long[] ended = new long[Threads];
        int bound = int.MaxValue;
        Task passes = Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Task.Run(() => PassAsync(thread))));
        var resizer = new Thread(() =>
        {
            for (int i = 0; !done.IsCancellationRequested; i++)
            {
                int limit = 1 + (i % MostTransactions);
                gate.PermitLimit = limit;

                // Once all that were let in before have ended, nobody may see more inside than this limit.
                AwaitThoseInside();
                Volatile.Write(ref bound, limit);
                for (int turn = 0; turn < 20; turn++)
                {
                    Thread.Yield();
                }

                Volatile.Write(ref bound, int.MaxValue);
            }
        }) { IsBackground = true };
        resizer.Start();
        try
        {
            await passes.WaitAsync(Eventually.Patience * 2);
        }
        finally
        {
            await done.CancelAsync();
        }

        resizer.Join(Eventually.Patience).ShouldBeTrue();
        overLimit.ShouldBe(0);
        most.ShouldBeInRange(1, MostTransactions);
        GateSnapshot end = gate.GetSnapshot();
        (end.Held, end.Queued, gate.GetLeases().Count).ShouldBe((0, 0, 0));
        gate.GetStatistics()!.CurrentAvailablePermits.ShouldBe(end.PermitLimit);

        void AwaitThoseInside()
        {
            long[] seen = [.. Enumerable.Range(0, Threads).Select(thread => Volatile.Read(ref begun[thread]))];
            for (int thread = 0; thread < Threads; thread++)
            {
                while (Volatile.Read(ref ended[thread]) < seen[thread] && !done.IsCancellationRequested)
                {
                    Thread.Yield();
                }
            }
        }

        async Task PassAsync(int thread)
        {
            var random = new Random(thread);
            for (int i = 0; i < Rounds; i++)
            {
                using var cancellation = new CancellationTokenSource();
                Interlocked.Increment(ref begun[thread]);
                Task<RateLimitLease> wait = gate.AcquireAsync(default, cancellation.Token).AsTask();
                if (random.Next(4) == 0)
                {
                    await cancellation.CancelAsync();
                }

                await wait.ContinueWith(static _ => { }, TaskScheduler.Default);
                if (wait.IsCanceled || !wait.Result.IsAcquired)
                {
                    Interlocked.Increment(ref ended[thread]);
                    continue;
                }

                int now = Interlocked.Increment(ref inside);
                InterlockedMax(ref most, now);

                // A bound that is in force here was in force before the entry, or the one that entered was let in under it.
                if (now > Volatile.Read(ref bound))
                {
                    Interlocked.Increment(ref overLimit);
                }

                if (random.Next(8) == 0)
                {
                    await Task.Yield();
                }

                Interlocked.Decrement(ref inside);
                wait.Result.Dispose();
                Interlocked.Increment(ref ended[thread]);
            }
        }
    }

    [Fact]
    public async Task Waiters_OnASmallGate_AreAllServed()
    {
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 2, FlowsWithContext = false });
        int served = 0;
        await Task.WhenAll(Enumerable.Range(0, 64).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < 300; i++)
            {
                using RateLimitLease lease = await gate.AcquireAsync();
                lease.IsAcquired.ShouldBeTrue();
                Interlocked.Increment(ref served);
                await Task.Yield();
            }
        }))).WaitAsync(Eventually.Patience * 2);

        served.ShouldBe(64 * 300);
        gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public void Passes_RacingForTheOnlyPermit_AreNeverTwoInside()
    {
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 1, FlowsWithContext = false });
        int inside = 0;
        int tooMany = 0;
        bool isOver = false;
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(_ => new Thread(Race) { IsBackground = true })];
        Array.ForEach(threads, static thread => thread.Start());
        bool ended = Array.TrueForAll(threads, static thread => thread.Join(Eventually.Patience * 2));
        Volatile.Write(ref isOver, true);
        ended.ShouldBeTrue("a permit was lost");
        tooMany.ShouldBe(0);
        gate.GetSnapshot().Held.ShouldBe(0);

        void Race()
        {
            for (int attempts = 0, entered = 0; entered < RacesOfEach && !Volatile.Read(ref isOver); attempts++)
            {
                using TransactionPass pass = gate.AttemptPass();
                if (pass.IsAcquired)
                {
                    entered++;
                    if (Interlocked.Increment(ref inside) > 1)
                    {
                        Interlocked.Increment(ref tooMany);
                    }

                    Thread.SpinWait(2);
                    Interlocked.Decrement(ref inside);
                }
                else if (attempts % 64 == 0)
                {
                    // The one inside may be waiting for this core.
                    Thread.Yield();
                }
            }
        }
    }

    private static void InterlockedMax(ref int most, int value)
    {
        int seen = Volatile.Read(ref most);
        while (value > seen && Interlocked.CompareExchange(ref most, value, seen) is var found && found != seen)
        {
            seen = found;
        }
    }
}
