namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] CancellationCases =>
    [
        new("Cancelled before the start", async x =>
        {
            bool ran = false;
            string end = await End(x.Run(() => { ran = true; }, Cancelled()));
            return $"{end} {ran}";
        }),
        new("Cancelled before the start, awaited", async x => await Thrown(x.Run(() => { }, Cancelled()), Cancelled())),
        new("Own token thrown", async x =>
        {
            using var source = new CancellationTokenSource();
            CancellationToken token = source.Token;
            return await Thrown(x.Run(() =>
            {
                source.Cancel();
                token.ThrowIfCancellationRequested();
            }, token), token);
        }),
        new("Own token thrown though not cancelled", async x =>
        {
            using var source = new CancellationTokenSource();
            CancellationToken token = source.Token;
            return await End(x.Run(() => throw new OperationCanceledException("told", token), token));
        }),
        new("Another token thrown", async x => await End(x.Run(() => throw new OperationCanceledException("told", Cancelled())))),
        new("Cancelled between queue and start, or not", async x =>
        {
            using var source = new CancellationTokenSource();
            int ran = 0;
            Task task = x.Run(() => { ran = 1; }, source.Token);
            source.Cancel();
            await task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return $"{(ran == 1) == (task.Status == TaskStatus.RanToCompletion)}";
        }),
        new("Async cancelled between queue and start, or not", async x =>
        {
            using var source = new CancellationTokenSource();
            int ran = 0;
            Task task = x.Run(async () =>
            {
                ran = 1;
                await Task.Yield();
            }, source.Token);
            source.Cancel();
            await task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return $"{(ran == 1) == (task.Status == TaskStatus.RanToCompletion)}";
        }),
        new("Registration runs on the thread that cancels", async x => await x.Run(() =>
        {
            using var source = new CancellationTokenSource();
            int ranOn = 0;
            source.Token.Register(() => ranOn = Environment.CurrentManagedThreadId);
            source.Cancel();
            return $"{ranOn == Environment.CurrentManagedThreadId}";
        })),
        new("Registration with the context runs before Cancel returns", async x => await x.Run(() =>
        {
            using var source = new CancellationTokenSource();
            bool ran = false;
            source.Token.Register(() => ran = true, useSynchronizationContext: true);
            source.Cancel();
            return $"{ran}";
        })),
        new("Registration with the context, cancelled elsewhere", async x => await x.Run(async () =>
        {
            using var source = new CancellationTokenSource();
            bool ran = false;
            source.Token.Register(() => ran = true, useSynchronizationContext: true);
            await Task.Run(source.Cancel);
            return $"{ran}";
        })),
        new("Registration throws", async x => await x.Run(() =>
        {
            using var source = new CancellationTokenSource();
            source.Token.Register(static () => throw new InvalidOperationException("a"), useSynchronizationContext: true);
            source.Token.Register(static () => throw new InvalidOperationException("b"));
            try
            {
                source.Cancel();
                return "nothing";
            }
            catch (AggregateException exception)
            {
                return string.Join(", ", exception.InnerExceptions.Select(Describe));
            }
        })),
        new("CancelAsync", async x => await x.Run(async () =>
        {
            using var source = new CancellationTokenSource();
            bool ran = false;
            source.Token.Register(() => ran = true);
            await source.CancelAsync();
            return $"{ran} {x.IsHome}";
        })),
        new("Linked tokens", async x => await x.Run(async () =>
        {
            using var source = new CancellationTokenSource();
            using var linked = CancellationTokenSource.CreateLinkedTokenSource(source.Token, CancellationToken.None);
            await x.Run(source.Cancel);
            return $"{linked.IsCancellationRequested}";
        })),
        new("WaitAsync cancelled", async x =>
        {
            using var source = new CancellationTokenSource();
            Task wait = new TaskCompletionSource().Task.WaitAsync(source.Token);
            _ = x.Run(source.Cancel);
            string end = await Thrown(wait, source.Token);
            return $"{end} {x.IsHome}";
        }),
        new("Wait with a token", async x => await x.Run(() =>
        {
            try
            {
                new TaskCompletionSource().Task.Wait(Cancelled());
                return "nothing";
            }
            catch (OperationCanceledException exception)
            {
                return $"{exception.CancellationToken == Cancelled()}";
            }
        })),
        new("Cancelled many at once", async x =>
        {
            using var source = new CancellationTokenSource();
            Task[] tasks = [.. Enumerable.Range(0, 10).Select(_ => x.Run(() => Task.Delay(Timeout.Infinite, source.Token)))];
            source.Cancel();
            await Task.WhenAll(tasks).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return $"{tasks.All(static t => t.IsCanceled)}";
        }, 200),
    ];
}
