namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] WaitsCases =>
    [
        new("Result of an asynchronous function", async x => await x.Run(() => $"{x.Run(async () =>
        {
            await Task.Yield();
            return 3;
        }).Result}"), 300),
        new("Wait for a source that another item sets", async x => await x.Run(() =>
        {
            var source = new TaskCompletionSource<int>();
            _ = x.Run(() => source.SetResult(2));
            return $"{source.Task.Result}";
        }), 300),
        new("Event between two items", async x =>
        {
            using var signal = new ManualResetEventSlim();
            Task waiter = x.Run(() => signal.Wait());
            await x.Run(signal.Set);
            return await End(waiter);
        }, 300),
        new("CountdownEvent", async x =>
        {
            using var countdown = new CountdownEvent(4);
            Task waiter = x.Run(() => countdown.Wait());
            await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => x.Run(() => countdown.Signal())));
            return await End(waiter);
        }, 300),
        new("Barrier of two", async x =>
        {
            using var barrier = new Barrier(2);
            await Task.WhenAll(x.Run(() => barrier.SignalAndWait()), x.Run(() => barrier.SignalAndWait()));
            return $"{barrier.CurrentPhaseNumber}";
        }, 300),
        new("Lock", async x =>
        {
            var gate = new Lock();
            int plain = 0;
            await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => x.Run(() =>
            {
                lock (gate)
                {
                    plain++;
                }
            })));
            return $"{plain}";
        }, 400),
        new("Monitor wait and pulse", async x =>
        {
            object gate = new();
            bool ready = false;
            Task waiter = x.Run(() =>
            {
                lock (gate)
                {
                    while (!ready)
                    {
                        Monitor.Wait(gate);
                    }
                }
            });
            await x.Run(() =>
            {
                lock (gate)
                {
                    ready = true;
                    Monitor.PulseAll(gate);
                }
            });
            return await End(waiter);
        }, 300),
        new("Semaphore awaited", async x =>
        {
            using var semaphore = new SemaphoreSlim(1);
            int inside = 0;
            int overlaps = 0;
            await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => x.Run(async () =>
            {
                await semaphore.WaitAsync();
                overlaps += Interlocked.Increment(ref inside) == 1 ? 0 : 1;
                await Task.Yield();
                Interlocked.Decrement(ref inside);
                semaphore.Release();
            })));
            return $"{overlaps} {semaphore.CurrentCount}";
        }, 300),
        new("Semaphore awaited comes home", async x => await x.Run(async () =>
        {
            using var semaphore = new SemaphoreSlim(0);
            Task wait = semaphore.WaitAsync();
            _ = x.Run(semaphore.Release);
            await wait;
            return $"{x.IsHome} {TaskScheduler.Current == x.Ambient}";
        })),
        new("Lazy value made once", async x =>
        {
            int made = 0;
            var lazy = new Lazy<int>(() => Interlocked.Increment(ref made));
            await Task.WhenAll(Enumerable.Range(0, 6).Select(_ => x.Run(() => lazy.Value)));
            return $"{made}";
        }, 400),
        new("Join of a thread", async x => await x.Run(() =>
        {
            int ran = 0;
            var thread = new Thread(() => ran = 1) { IsBackground = true };
            thread.Start();
            thread.Join();
            return $"{ran}";
        }), Few),
        new("Thread is a background thread of normal priority", async x
            => await x.Run(() => $"{Thread.CurrentThread.IsBackground} {Thread.CurrentThread.Priority}")),
        new("Thread belongs to the runtime's pool", async x => $"{await x.Run(() => Thread.CurrentThread.IsThreadPoolThread)}"),
        new("Thread changed by an item is as new for the next", async x =>
        {
            bool[] spoilt = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => x.Run(() =>
            {
                bool spoilt = Thread.CurrentThread.Priority != ThreadPriority.Normal;
                Thread.CurrentThread.Priority = ThreadPriority.BelowNormal;
                return spoilt;
            })));
            return $"{spoilt.Any(static s => s)}";
        }, 300),
    ];
}
