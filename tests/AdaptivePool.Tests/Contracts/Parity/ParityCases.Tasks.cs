namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] TasksCases =>
    [
        new("Task result", async x => $"{await x.Run(() => 42)}"),
        new("Task without result", async x => await End(x.Run(() => { }))),
        new("Task throws", async x => await End(x.Run(() => throw new InvalidOperationException("told")))),
        new("Task throws, awaited", async x => await Thrown(x.Run(() => throw new InvalidOperationException("told")))),
        new("Task throws, waited for", async x =>
        {
            Task task = x.Run(() => throw new InvalidOperationException("told"));
            await task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                task.Wait();
                return "nothing";
            }
            catch (AggregateException exception)
            {
                return string.Join(", ", exception.InnerExceptions.Select(Describe));
            }
        }),
        new("Task exception names the method that threw", async x =>
        {
            Task task = x.Run(ThrowFromHere);
            await task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return $"{task.Exception!.InnerException!.StackTrace!.Contains(nameof(ThrowFromHere), StringComparison.Ordinal)}";
        }),
        new("Task state", async x =>
        {
            Task task = x.Run(() => { });
            await task;
            return $"{task.AsyncState is null} {task.IsCompletedSuccessfully} {task.Id != 0}";
        }),
        new("Task id inside an action", async x => $"{await x.Run(() => Task.CurrentId is not null)}"),
        new("Task id inside an asynchronous function", async x => $"{await x.Run(() => Task.FromResult(Task.CurrentId is not null))}"),
        new("Task id after an await", async x => await x.Run(async () =>
        {
            await Task.Yield();
            return $"{Task.CurrentId is null}";
        })),
        new("Task creation options", async x =>
        {
            Task task = x.Run(() => { });
            await task;
            return $"{task.CreationOptions}";
        }),
        new("Task runs at home", async x => $"{x.IsHome} {await x.Run(() => x.IsHome)}"),
        new("Task attached to a task of the route", async x =>
        {
            using var open = new ManualResetEventSlim();
            Task child = Task.CompletedTask;
            Task parent = x.Run(() => { child = Task.Factory.StartNew(open.Wait, CancellationToken.None, TaskCreationOptions.AttachedToParent, x.Scheduler); });
            while (!parent.IsCompleted && parent.Status is not TaskStatus.WaitingForChildrenToComplete)
            {
                await Task.Delay(1);
            }

            string seen = $"{parent.Status}";
            open.Set();
            await parent;
            await child;
            return seen;
        }, Few),
        new("Task attached to one that lets it", async x =>
        {
            Task<int> child = null!;
            await Task.Factory.StartNew(
                () => { child = Task.Factory.StartNew(() => 7, CancellationToken.None, TaskCreationOptions.AttachedToParent, x.Scheduler); },
                CancellationToken.None,
                TaskCreationOptions.None,
                x.Scheduler);
            return $"{child.IsCompleted} {child.Result}";
        }),
        new("Task with a failing child attached", async x => await End(Task.Factory.StartNew(
            () => { _ = Task.Factory.StartNew(() => throw new InvalidOperationException("child"), CancellationToken.None, TaskCreationOptions.AttachedToParent,
                x.Scheduler); },
            CancellationToken.None,
            TaskCreationOptions.None,
            x.Scheduler).ContinueWith(t => Task.FromException(t.Exception!.Flatten().InnerException!), x.Scheduler).Unwrap())),
        new("Task started twice", async x =>
        {
            var task = new Task(() => { });
            task.Start(x.Scheduler);
            await task;
            try
            {
                task.Start(x.Scheduler);
                return "nothing";
            }
            catch (InvalidOperationException exception)
            {
                return exception.Message;
            }
        }),
        new("Task run synchronously", async x => await x.Run(() =>
        {
            int ranOn = 0;
            var task = new Task(() => ranOn = Environment.CurrentManagedThreadId);
            task.RunSynchronously(x.Scheduler);
            return $"{task.Status} {ranOn == Environment.CurrentManagedThreadId}";
        })),
        new("Task run synchronously throws", async x => await x.Run(() =>
        {
            var task = new Task(() => throw new InvalidOperationException("inline"));
            task.RunSynchronously(x.Scheduler);
            return Describe(task);
        })),
        new("Task run synchronously by an asynchronous function", async x => await x.Run(async () =>
        {
            await Task.Yield();
            int ranOn = 0;
            new Task(() => ranOn = Environment.CurrentManagedThreadId).RunSynchronously(x.Scheduler);
            return $"{ranOn == Environment.CurrentManagedThreadId}";
        })),
        new("LongRunning has a thread of its own", async x =>
        {
            int here = Environment.CurrentManagedThreadId;
            return $"{await x.Factory.StartNew(() => Environment.CurrentManagedThreadId != here && !Thread.CurrentThread.IsThreadPoolThread && AdaptiveThreadPool.Current is null, TaskCreationOptions.LongRunning)}";
        }, Few),
        new("LongRunning has no context", async x
            => $"{await x.Factory.StartNew(() => SynchronizationContext.Current is null, TaskCreationOptions.LongRunning)}", Few),
        new("LongRunning waited for at once never runs on the waiter", async x => await x.Run(() =>
        {
            Task<int> task = x.Factory.StartNew(() => Environment.CurrentManagedThreadId, TaskCreationOptions.LongRunning);
            return $"{task.Result == Environment.CurrentManagedThreadId}";
        })),
        new("WhenAll keeps every exception", async x =>
        {
            Task all = Task.WhenAll(x.Run(() => throw new InvalidOperationException("a")), x.Run(() => { }),
                x.Run(() => throw new InvalidOperationException("b")));
            await all.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return string.Join(", ", all.Exception!.InnerExceptions.Select(Describe).Order(StringComparer.Ordinal));
        }),
        new("WhenAll keeps the order of results", async x => string.Join(' ', await Task.WhenAll(Enumerable.Range(0, 8).Select(i => x.Run(() => i))))),
        new("WhenAll of a fault and a cancellation", async x
            => await End(Task.WhenAll(x.Run(() => { }, Cancelled()), x.Run(() => throw new InvalidOperationException("a"))))),
        new("WhenAny of one that never ends", async x => $"{await await Task.WhenAny(new TaskCompletionSource<int>().Task, x.Run(() => 3))}"),
        new("WhenEach yields all", async x =>
        {
            int sum = 0;
            await foreach (Task<int> task in Task.WhenEach(Enumerable.Range(0, 8).Select(i => x.Run(() => i))))
            {
                sum += await task;
            }

            return $"{sum} {x.IsHome}";
        }),
        new("WaitAll of children", async x => await x.Run(() =>
        {
            Task<int>[] children = [.. Enumerable.Range(0, 8).Select(i => x.Factory.StartNew(() => i))];
            Task.WaitAll(children);
            return $"{children.Sum(static t => t.Result)}";
        })),
        new("WaitAny of children", async x => await x.Run(() =>
        {
            Task[] children = [new TaskCompletionSource().Task, x.Factory.StartNew(() => { })];
            return $"{Task.WaitAny(children)}";
        })),
        new("Wait with a timeout", async x => await x.Run(() =>
        {
            var source = new TaskCompletionSource();
            bool before = source.Task.Wait(0);
            source.SetResult();
            return $"{before} {source.Task.Wait(0)}";
        })),
        new("Fork and join", async x => await x.Run(() => $"{Fork(x, 8)}"), 200),
        new("Fork and join, newest first", async x => await x.Run(() =>
        {
            Task<int>[] children = [.. Enumerable.Range(0, 6).Select(i => x.Factory.StartNew(() => i))];
            return string.Join(' ', children.Reverse().Select(static t => t.Result));
        })),
        new("Thrown exception is the same object", async x =>
        {
            var exception = new InvalidOperationException("same");
            try
            {
                await x.Run(() => throw exception);
                return "nothing";
            }
            catch (InvalidOperationException caught)
            {
                return $"{ReferenceEquals(caught, exception)}";
            }
        }),
        new("Many tasks lose none", async x =>
        {
            int count = 0;
            await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => x.Run(() => Interlocked.Increment(ref count))));
            return $"{count}";
        }, 200),
    ];

    private static void ThrowFromHere() => throw new InvalidOperationException("here");

    private static int Fork(ParityRoute x, int n)
    {
        if (n < 2)
        {
            return n;
        }

        Task<int> one = x.Factory.StartNew(() => Fork(x, n - 1));
        return Fork(x, n - 2) + one.Result;
    }
}
