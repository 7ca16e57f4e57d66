namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] TimersCases =>
    [
        new("Delay ends", async x => await End(x.Run(() => Task.Delay(1))), Few),
        new("Delay cancelled", async x =>
        {
            using var source = new CancellationTokenSource();
            Task delay = x.Run(() => Task.Delay(Timeout.Infinite, source.Token));
            source.Cancel();
            return await Thrown(delay, source.Token);
        }),
        new("Delays in many items", async x =>
        {
            await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => x.Run(async () => await Task.Delay(1))));
            return "ended";
        }, Few),
        new("PeriodicTimer ticks", async x => await x.Run(async () =>
        {
            using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1));
            bool ticked = await timer.WaitForNextTickAsync() && await timer.WaitForNextTickAsync();
            return $"{ticked} {x.IsHome} {TaskScheduler.Current == x.Ambient}";
        }), Few),
        new("PeriodicTimer disposed", async x => await x.Run(async () =>
        {
            var timer = new PeriodicTimer(TimeSpan.FromHours(1));
            Task<bool> next = timer.WaitForNextTickAsync().AsTask();
            timer.Dispose();
            return $"{await next}";
        })),
        new("CancelAfter", async x => await x.Run(async () =>
        {
            using var source = new CancellationTokenSource();
            source.CancelAfter(1);
            return $"{await Thrown(Task.Delay(Timeout.Infinite, source.Token), source.Token)} {x.IsHome}";
        }), Few),
        new("WaitAsync times out", async x
            => await x.Run(async () => $"{await Thrown(new TaskCompletionSource().Task.WaitAsync(TimeSpan.FromMilliseconds(1)))} {x.IsHome}"), Few),
        new("Timer calls back on the runtime's pool", async x => await x.Run(async () =>
        {
            var seen = new TaskCompletionSource<bool>();
            await using var timer = new Timer(_ => seen.TrySetResult(Thread.CurrentThread.IsThreadPoolThread), null, 1, Timeout.Infinite);
            return $"{await seen.Task}";
        }), Few),
        new("Timer sees the flow of its creator", async x => await x.Run(async () =>
        {
            s_local.Value = "timer";
            var seen = new TaskCompletionSource<string>();
            await using var timer = new Timer(_ => seen.TrySetResult(s_local.Value ?? "nothing"), null, 1, Timeout.Infinite);
            return await seen.Task;
        }), Few),
        new("Registered wait", async x => await x.Run(async () =>
        {
            using var signal = new ManualResetEvent(false);
            var seen = new TaskCompletionSource<bool>();
            RegisteredWaitHandle wait =
                ThreadPool.RegisterWaitForSingleObject(signal, (_, timedOut) => seen.TrySetResult(timedOut), null, -1, executeOnlyOnce: true);
            signal.Set();
            bool timedOut = await seen.Task;
            wait.Unregister(null);
            return $"{timedOut} {x.IsHome}";
        }), Few),
    ];
}
