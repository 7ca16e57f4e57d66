namespace AdaptivePool.Tests.Dispatch;

/// <summary>
/// Work in flight gives its place away while it waits, and takes it back past the limit: it finishes its item, and nobody takes a new one while too many are
/// active (rule R5).
/// </summary>
public sealed class ReturnFromWaitTests : PoolTest
{
    private const int Limit = 2;

    [Fact]
    public void WorkInFlight_BackFromAWait_CountsPastTheLimit_AndTheNextItemWaits()
    {
        AdaptiveThreadPool pool = CreateFixedPool(Limit);
        Eventually.Be(() => pool.Set.InFlight.Limit.Value == Limit, "the limit of work in flight is the fixed size");
        using var goOn = new ManualResetEventSlim();
        using Runner waiting = new(goOn);
        using Runner second = new(null);
        using Runner third = new(null);
        using Runner late = new(null);

        Queue(pool, waiting);
        waiting.AwaitStart();
        Eventually.Be(() => pool.Set.InFlight.Limit.Active == 0, "who waits gives its place away");
        Queue(pool, second, third);
        second.AwaitStart();
        third.AwaitStart();
        goOn.Set();
        Eventually.Be(() => pool.Set.InFlight.Limit.Active == Limit + 1, "who comes back is active although the places are taken");

        Queue(pool, late);
        second.End();
        Eventually.Be(() => pool.Set.InFlight.Limit.Active == Limit, "a worker that ends its item while too many are active takes no new one");
        late.HasStarted.ShouldBeFalse();
        waiting.End();
        late.AwaitStart();
    }

    /// <summary>Work that a running item queues is work in flight.</summary>
    private static void Queue(AdaptiveThreadPool pool, params Runner[] items) =>
        Eventually.End(pool.Run(() =>
        {
            foreach (Runner item in items)
            {
                pool.UnsafeQueueUserWorkItem(item, preferLocal: false);
            }
        }));

    /// <summary>An item that waits, if it is told to, and then computes until it is told to end.</summary>
    private sealed class Runner(ManualResetEventSlim? waitFor) : IThreadPoolWorkItem, IDisposable
    {
        private readonly ManualResetEventSlim _started = new();
        private readonly ManualResetEventSlim _ended = new();
        private bool _mayEnd;

        public bool HasStarted => _started.IsSet;

        public void AwaitStart() => Eventually.Set(_started, "the item must start");

        public void End() => Volatile.Write(ref _mayEnd, true);

        public void Execute()
        {
            _started.Set();
            waitFor?.Wait();

            // A sleep is no wait that the hook sees: the item keeps its place.
            while (!Volatile.Read(ref _mayEnd))
            {
                Thread.Sleep(1);
            }

            _ended.Set();
        }

        public void Dispose()
        {
            End();
            waitFor?.Set();
            Eventually.Set(_ended, "the item must end");
            _started.Dispose();
            _ended.Dispose();
        }
    }
}
