using System.Collections.Concurrent;
using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

/// <summary>What listeners are told of a class that gets guests and loses them.</summary>
public sealed partial class BriefWaitsTests
{
    [Fact]
    public void GuestsChanged_LostAndEarnedAtOnce_AreToldInTheirOrder()
    {
        // A loss was told after the lock: a thread that was put aside there told of it after another one had told that trust was earned again, and the last
        // word was that the class has no guests. A race: some such runs met it, and not all.
        const int Times = 5_000;
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Create(pool);
        GuestClass guests = workClass.Guests!;
        var told = new ConcurrentQueue<bool>();
        pool.GuestsChanged += (_, e) => told.Enqueue(e.HasGuests);
        int lost = 0;
        Task losing = Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(() =>
        {
            while (Volatile.Read(ref lost) < Times)
            {
                if (guests.IsGuest)
                {
                    guests.TakeIn(TrustChange.Long);
                    Interlocked.Increment(ref lost);
                }

                Thread.Yield();
            }
        })));

        // An hour later it is forgotten how often trust was lost.
        _now += TimeSpan.FromHours(2);
        while (!losing.IsCompleted)
        {
            Look(pool, Full, workClass);
        }

        Eventually.End(losing);
        long turn = GuestWatch.Process.Turns.Now;
        Eventually.Be(() => GuestWatch.Process.IsAsleep || GuestWatch.Process.Turns.Now > turn + 1, "all is told");
        told.Where(static (hasGuests, number) => hasGuests != (number % 2 == 0)).ShouldBeEmpty();
    }
}
