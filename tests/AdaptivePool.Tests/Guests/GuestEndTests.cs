using System.Runtime.CompilerServices;

namespace AdaptivePool.Tests.Guests;

/// <summary>What is left of guests when their pool has ended. Collections stop what runs beside them.</summary>
[Collection(RuntimePoolCollection.Name)]
public sealed class GuestEndTests : PoolTest
{
    private static readonly Func<string, Task> s_request = static _ => Task.CompletedTask;

    [Fact]
    public void Dispose_ClassHadGuests_ThreadsKeepNothingOfThePool()
    {
        // The thread that watches guests lives as long as this one, and tells of no other class.
        CreatePool();

        // The thread that ran them lives on, and has no other guest.
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        (WeakReference pool, Task thread) = RunGuest(end);
        Eventually.Go(pool, "nothing keeps the pool");
        end.Set();
        Eventually.End(thread);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Pool, Task Thread) RunGuest(ManualResetEventSlim end)
    {
        using var hasRun = new ManualResetEventSlim();
        using var isTold = new ManualResetEventSlim();
        using var pool = new AdaptiveThreadPool();
        pool.GuestsChanged += (_, _) => isTold.Set();
        var requests = new StrongBox<WorkClass?>(pool.GetClass("requests"));
        Task thread = Task.Run(() =>
        {
            RunUntilGuest(requests.Value!);
            requests.Value = null;
            hasRun.Set();
            end.Wait();
        });
        Eventually.Set(hasRun, "requests that never wait become guests");
        Eventually.Set(isTold, "listeners hear of it");
        return (new WeakReference(pool), thread);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RunUntilGuest(WorkClass requests) => Eventually.Be(
        () =>
        {
            Eventually.End(requests.Run(static () => { }));
            return requests.TryRunAsGuest(s_request, "", out _);
        },
        "requests that never wait become guests");
}
