namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] AsyncFunctionsCases =>
    [
        new("Async result", async x => $"{await x.Run(async () => await x.Run(() => 5) + 1)}"),
        new("Async throws after an await", async x => await Thrown(x.Run(async () =>
        {
            await Task.Yield();
            throw new InvalidOperationException("later");
        }))),
        new("Async throws at once", async x => await Thrown(x.Run(Task () => throw new InvalidOperationException("at once")))),
        new("Async with a result throws at once", async x => await Thrown(x.Run(Task<int> () => throw new InvalidOperationException("at once")))),
        new("Async keeps several exceptions", async x =>
            await End(x.Run(() => Task.WhenAll(Task.FromException(new InvalidOperationException("a")), Task.FromException(new IOException("b")))))),
        new("Async cancelled by its own token", async x =>
        {
            using var source = new CancellationTokenSource();
            CancellationToken token = source.Token;
            return await Thrown(x.Run(async () =>
            {
                await Task.Yield();
                source.Cancel();
                token.ThrowIfCancellationRequested();
            }, token), token);
        }),
        new("Async cancelled by another token", async x =>
        {
            using var source = new CancellationTokenSource();
            return await Thrown(x.Run(async () =>
            {
                await Task.Yield();
                Cancelled().ThrowIfCancellationRequested();
            }, source.Token), Cancelled());
        }),
        new("Async cancelled by another token, asked for one's own", async x =>
        {
            using var source = new CancellationTokenSource();
            return await Thrown(x.Run(async () =>
            {
                await Task.Yield();
                source.Cancel();
                Cancelled().ThrowIfCancellationRequested();
            }, source.Token), source.Token);
        }),
        new("Async cancelled at once by its own token", async x =>
        {
            using var source = new CancellationTokenSource();
            CancellationToken token = source.Token;
            return await Thrown(x.Run(Task () =>
            {
                source.Cancel();
                throw new OperationCanceledException(token);
            }, token), token);
        }),
        new("Async cancelled at once by another token", async x
            => await Thrown(x.Run(Task () => throw new OperationCanceledException(Cancelled())), Cancelled())),
        new("Async with a result cancelled at once", async x
            => await Thrown(x.Run(Task<int> () => throw new OperationCanceledException(Cancelled())), Cancelled())),
        new("Async timeout as an HTTP client tells it", async x => await Thrown(x.Run(async () =>
        {
            await Task.Yield();
            throw new TaskCanceledException("timeout", new TimeoutException("100 s"), Cancelled());
        }))),
        new("Async cancellation keeps its message", async x =>
        {
            try
            {
                await x.Run(async () =>
                {
                    await Task.Yield();
                    throw new OperationCanceledException("told");
                });
                return "nothing";
            }
            catch (OperationCanceledException exception)
            {
                return exception.Message;
            }
        }),
        new("Async cancellation is the same object", async x =>
        {
            var thrown = new OperationCanceledException("told");
            try
            {
                await x.Run(async () =>
                {
                    await Task.Yield();
                    throw thrown;
                });
                return "nothing";
            }
            catch (OperationCanceledException exception)
            {
                return $"{ReferenceEquals(thrown, exception)} {exception.StackTrace!.Contains(nameof(ParityCases), StringComparison.Ordinal)}";
            }
        }),
        new("Async returns a cancelled task", async x => await Thrown(x.Run(() => Task.FromCanceled(Cancelled())), Cancelled())),
        new("Async returns a source that is cancelled later", async x =>
        {
            var source = new TaskCompletionSource<int>();
            Task task = x.Run(() => source.Task);
            source.TrySetCanceled(Cancelled());
            return await Thrown(task, Cancelled());
        }),
        new("Async returns null", async x => await End(x.Run(Task () => null!))),
        new("Async never started when cancelled before", async x =>
        {
            bool ran = false;
            string end = await End(x.Run(() =>
            {
                ran = true;
                return Task.CompletedTask;
            }, Cancelled()));
            return $"{end} {ran}";
        }),
        new("Async goes on when cancelled while it runs", async x =>
        {
            using var source = new CancellationTokenSource();
            return $"{await x.Run(async () =>
            {
                source.Cancel();
                await Task.Yield();
                return 5;
            }, source.Token)}";
        }),
        new("Async stays at home", async x => await x.Run(async () =>
        {
            bool home = x.IsHome;
            for (int i = 0; i < 5; i++)
            {
                await Task.Yield();
                home &= x.IsHome;
            }

            return $"{home}";
        })),
        new("Async comes home from a delay", async x => await x.Run(async () =>
        {
            await Task.Delay(1);
            return $"{x.IsHome}";
        }), Few),
        new("Async comes home from another thread", async x => await x.Run(async () =>
        {
            var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            new Thread(source.SetResult) { IsBackground = true }.Start();
            await source.Task;
            return $"{x.IsHome}";
        }), Few),
        new("Async goes away by ConfigureAwait(false)", async x => await x.Run(async () =>
        {
            await Task.Delay(1).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            return $"{Thread.CurrentThread.IsThreadPoolThread} {TaskScheduler.Current == TaskScheduler.Default}";
        }), Few),
        new("Async goes on at once after what has ended", async x => await x.Run(async () =>
        {
            int thread = Environment.CurrentManagedThreadId;
            await Task.CompletedTask;
            return $"{thread == Environment.CurrentManagedThreadId}";
        })),
        new("Async continuation without a context runs inside SetResult", async x => await x.Run(async () =>
        {
            var source = new TaskCompletionSource();
            int ranOn = 0;
            Task rest = Rest();
            source.SetResult();
            int here = Environment.CurrentManagedThreadId;
            bool inside = Volatile.Read(ref ranOn) == here;
            await rest;
            return $"{inside}";

            async Task Rest()
            {
                await source.Task.ConfigureAwait(false);
                Volatile.Write(ref ranOn, Environment.CurrentManagedThreadId);
            }
        })),
        new("Async forced to yield", async x => await x.Run(async () =>
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding | ConfigureAwaitOptions.ContinueOnCapturedContext);
            return $"{x.IsHome}";
        })),
        new("Async ValueTask", async x => await x.Run(async () => $"{await Value()} {x.IsHome}")),
        new("Async recursion", async x => await x.Run(async () => $"{await Depth(30)}"), 200),
        new("Async awaited twice throws the same", async x =>
        {
            Task task = x.Run(async () =>
            {
                await Task.Yield();
                throw new InvalidOperationException("twice");
            });
            return $"{await Thrown(task)}, {await Thrown(task)}";
        }),
        new("Async void ends", async x => await x.Run(async () =>
        {
            var source = new TaskCompletionSource();
            Void(source);
            await source.Task;
            return $"{x.IsHome}";
        })),
    ];

    private static async ValueTask<int> Value()
    {
        await Task.Yield();
        return 9;
    }

    private static async Task<int> Depth(int left)
    {
        await Task.Yield();
        return left == 0 ? 0 : 1 + await Depth(left - 1);
    }

    private static async void Void(TaskCompletionSource source)
    {
        await Task.Yield();
        source.SetResult();
    }
}
