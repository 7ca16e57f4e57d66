namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] ContinuationsCases =>
    [
        new("ContinueWith sees the result", async x => $"{await x.Run(() => 4).ContinueWith(static t => t.Result + 1, x.Scheduler)}"),
        new("ContinueWith by name runs at home", async x => $"{await x.Run(() => 4).ContinueWith(_ => x.IsHome, x.Scheduler)}"),
        new("ContinueWith runs under its scheduler", async x => $"{await x.Run(() => 4).ContinueWith(_ => TaskScheduler.Current == x.Scheduler, x.Scheduler)}"),
        new("ContinueWith without a scheduler takes the ambient one", async x
            => await x.Run(() => Task.CompletedTask.ContinueWith(_ => $"{TaskScheduler.Current == x.Ambient}"))),
        new("ContinueWith sees the exception", async x =>
            await x.Run(() => throw new InvalidOperationException("seen")).ContinueWith(static t => Describe(t.Exception!.InnerException!), x.Scheduler)),
        new("ContinueWith only on fault, none", async x
            => await End(x.Run(() => { }).ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, x.Scheduler))),
        new("ContinueWith only on fault, one", async x =>
            await End(x.Run(() => throw new IOException())
                .ContinueWith(static t => { _ = t.Exception; }, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, x.Scheduler))),
        new("ContinueWith not on fault", async x
            => await End(Observed(x.Run(() => throw new IOException()))
            .ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.NotOnFaulted, x.Scheduler))),
        new("ContinueWith of a cancelled task", async x => $"{await x.Run(() => { }, Cancelled()).ContinueWith(static t => t.Status, x.Scheduler)}"),
        new("ContinueWith cancelled itself", async x =>
        {
            var source = new TaskCompletionSource();
            Task continuation = source.Task.ContinueWith(static _ => { }, Cancelled(), TaskContinuationOptions.None, x.Scheduler);
            string before = await End(continuation);
            source.SetResult();
            return before;
        }),
        new("ContinueWith cancelled lazily", async x =>
        {
            var source = new TaskCompletionSource();
            Task continuation = source.Task.ContinueWith(static _ => { }, Cancelled(), TaskContinuationOptions.LazyCancellation, x.Scheduler);
            bool before = continuation.IsCompleted;
            source.SetResult();
            return $"{before} {await End(continuation)}";
        }),
        new("ContinueWith synchronously, on the thread that completes", async x => await x.Run(() =>
        {
            var source = new TaskCompletionSource();
            int ranOn = 0;
            Task continuation = source.Task.ContinueWith(_ => ranOn = Environment.CurrentManagedThreadId, CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously, x.Scheduler);
            source.SetResult();
            return $"{continuation.IsCompleted} {ranOn == Environment.CurrentManagedThreadId}";
        })),
        new("ContinueWith synchronously but asynchronously completed", async x => await x.Run(async () =>
        {
            var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            using var open = new ManualResetEventSlim();
            Task continuation = source.Task.ContinueWith(_ => open.Wait(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, x.Scheduler);
            source.SetResult();
            open.Set();
            await continuation;
            return "ended";
        })),
        new("ContinueWith keeps its state", async x
            => $"{await x.Run(() => 1).ContinueWith(static (t, state) => $"{t.Result} {state}", "state", x.Scheduler)}"),
        new("ContinueWith chain", async x =>
        {
            Task<int> chain = x.Run(() => 0);
            for (int i = 0; i < 20; i++)
            {
                chain = chain.ContinueWith(static t => t.Result + 1, x.Scheduler);
            }

            return $"{await chain}";
        }, 400),
        new("ContinueWith a task, unwrapped", async x => $"{await x.Run(() => 2).ContinueWith(t => x.Run(() => t.Result * 3), x.Scheduler).Unwrap()}"),
        new("ContinueWith throws", async x
            => await End(x.Run(() => { }).ContinueWith(static _ => throw new InvalidOperationException("continuation"), x.Scheduler))),
        new("ContinueWith on the runtime's scheduler leaves", async x
            => $"{await x.Run(() => { }).ContinueWith(static _ => Thread.CurrentThread.IsThreadPoolThread, TaskScheduler.Default)}"),
        new("ContinueWhenAll", async x
            => $"{await x.Factory.ContinueWhenAll([x.Run(() => 1), x.Run(() => 2)], static tasks => tasks.Sum(static t => t.Result))}"),
        new("ContinueWhenAny", async x => $"{await x.Factory.ContinueWhenAny([x.Run(() => 1), new TaskCompletionSource<int>().Task], static t => t.Result)}"),
        new("Unwrap twice", async x => $"{await x.Factory.StartNew(() => x.Factory.StartNew(() => x.Run(() => 6)).Unwrap()).Unwrap()}"),
        new("Unwrap of a cancelled inner task", async x
            => await End(x.Run(() => 1).ContinueWith(static _ => Task.FromCanceled(Cancelled()), x.Scheduler).Unwrap())),
        new("Unwrap of a failed outer task", async x => await End(x.Factory.StartNew(Task () => throw new InvalidOperationException("outer")).Unwrap())),
        new("Unwrap of an outer task that throws a cancellation", async x
            => await End(x.Factory.StartNew(Task () => throw new OperationCanceledException("outer")).Unwrap())),
        new("Source completed by another item", async x =>
        {
            var source = new TaskCompletionSource<int>();
            _ = x.Run(() => source.SetResult(8));
            return $"{await source.Task} {x.IsHome}";
        }),
        new("Source continued asynchronously", async x => await x.Run(async () =>
        {
            var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            bool inside = true;
            bool seenInside = false;
            Task rest = Rest();
            source.SetResult();
            inside = false;
            await rest;
            return $"{seenInside && false}";

            async Task Rest()
            {
                await source.Task;
                seenInside = Volatile.Read(ref inside);
            }
        })),
        new("Source with several exceptions", async x =>
        {
            var source = new TaskCompletionSource();
            _ = x.Run(() => source.SetException([new InvalidOperationException("a"), new IOException("b")]));
            return await End(source.Task);
        }),
        new("Source set twice", async x =>
        {
            var source = new TaskCompletionSource<int>();
            bool[] won = await Task.WhenAll(x.Run(() => source.TrySetResult(1)), x.Run(() => source.TrySetResult(1)));
            return $"{won.Count(static w => w)} {await source.Task}";
        }),
    ];

    private static Task Observed(Task task)
    {
        _ = task.ContinueWith(static t => _ = t.Exception, TaskScheduler.Default);
        return task;
    }
}
