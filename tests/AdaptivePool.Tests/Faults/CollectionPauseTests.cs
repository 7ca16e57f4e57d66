using System.Runtime;

namespace AdaptivePool.Tests.Faults;

/// <summary>Collections that stop the whole process: nothing completes meanwhile, and that is no reason to grow. The rule itself is tested on virtual time
/// (CountedTimeTests).</summary>
public sealed class CollectionPauseTests : PoolTest
{
    private const int Collections = 8;

    [Fact]
    public void BlockingCollections_AmongCpuHogs_AddNoThreads()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var end = new CancellationTokenSource();
        using var room = new SemaphoreSlim(256);
        int done = 0;
        var feeder = new Thread(() =>
        {
            while (!end.IsCancellationRequested)
            {
                room.Wait();
                pool.UnsafeQueueUserWorkItem(new CallbackItem(() =>
                {
                    Thread.SpinWait(20_000);
                    Interlocked.Increment(ref done);
                    room.Release();
                }), preferLocal: false);
            }
        }) { IsBackground = true };
        feeder.Start();
        try
        {
            Eventually.Be(() => Volatile.Read(ref done) > 100, "the load runs");

            // Many small objects that live: a compacting collection has something to move.
            object[] live = [.. Enumerable.Range(0, 500_000).Select(static i => new byte[16 + (i % 64)])];
            for (int i = 0; i < Collections; i++)
            {
                int before = Volatile.Read(ref done);
                GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
                GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
                Eventually.Be(() => Volatile.Read(ref done) > before, "the load goes on");
            }

            GC.KeepAlive(live);
            pool.GetSnapshot().PeakThreads.ShouldBeLessThanOrEqualTo(3 * (Environment.ProcessorCount + 1),
                "hogs have cores + 1 threads; what was there before they were known as such may be added");
        }
        finally
        {
            // A pool that has ended would throw there, and that would end the process of the tests.
            end.Cancel();
            Eventually.Be(() => !feeder.IsAlive, "the load ends");
        }

        Eventually.Be(pool, static s => s.Queued == 0, "what was queued has run");
    }
}
