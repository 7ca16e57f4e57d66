using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch;

public sealed class ClassLimitTests
{
    [Fact]
    public void TryAcquire_UpToTheLimit_ThenRefuses()
    {
        var limit = new ClassLimit<RealSync>(2);
        limit.TryAcquire().ShouldBeTrue();
        limit.HasRoom.ShouldBeTrue();
        limit.TryAcquire().ShouldBeTrue();
        limit.HasRoom.ShouldBeFalse();
        limit.TryAcquire().ShouldBeFalse();
        limit.Active.ShouldBe(2);
        limit.Release();
        limit.TryAcquire().ShouldBeTrue();
    }

    [Fact]
    public void Reacquire_PastTheLimit_IsAllowedAndSeen()
    {
        var limit = new ClassLimit<RealSync>(1);
        limit.TryAcquire().ShouldBeTrue();
        limit.Release();
        limit.TryAcquire().ShouldBeTrue();
        limit.Reacquire();
        limit.Active.ShouldBe(2);
        limit.IsOver.ShouldBeTrue();
        limit.TryAcquire().ShouldBeFalse();
        limit.Release();
        limit.IsOver.ShouldBeFalse();
    }

    [Fact]
    public void Set_Lower_LetsNobodyInUntilEnoughHaveLeft()
    {
        var limit = new ClassLimit<RealSync>(3);
        for (int i = 0; i < 3; i++)
        {
            limit.TryAcquire().ShouldBeTrue();
        }

        limit.Set(1);
        limit.IsOver.ShouldBeTrue();
        limit.Release();
        limit.TryAcquire().ShouldBeFalse();
        limit.Release();
        limit.IsOver.ShouldBeFalse();
        limit.TryAcquire().ShouldBeFalse();
        limit.Release();
        limit.TryAcquire().ShouldBeTrue();
    }

    [Fact]
    public void TryAcquire_ManyThreads_NeverExceedsTheLimit()
    {
        const int size = 3;
        const int rounds = 100_000;
        var limit = new ClassLimit<RealSync>(size);
        int inside = 0;
        int most = 0;
        Thread[] threads = [.. Enumerable.Range(0, 6).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < rounds; i++)
            {
                if (limit.TryAcquire())
                {
                    int now = Interlocked.Increment(ref inside);
                    int seen;
                    while (now > (seen = Volatile.Read(ref most)) && Interlocked.CompareExchange(ref most, now, seen) != seen)
                    {
                    }

                    Interlocked.Decrement(ref inside);
                    limit.Release();
                }
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());
        most.ShouldBeInRange(1, size);
        limit.Active.ShouldBe(0);
    }
}
