using System.Threading.Tasks.Dataflow;

namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] PairsCases =>
    [
        new("Exclusive tasks", async x => await Exclusive(x, Inside.Nothing), 200),
        new("Exclusive tasks that yield", async x => await Exclusive(x, Inside.Yield), 200),
        new("Exclusive tasks that call one that yields", async x => await Exclusive(x, Inside.Call), 200),
        new("Exclusive tasks that wait for a delay", async x => await Exclusive(x, Inside.Delay), Few),
        new("Exclusive tasks that wait for another item", async x => await Exclusive(x, Inside.OtherItem), 200),
        new("Exclusive tasks, one at a time", async x => await Exclusive(x, Inside.Yield, maxItemsPerTask: 1), 200),
        new("Exclusive tasks on a pair over a pair", async x => await Exclusive(x, Inside.Yield, nested: true), 200),
        new("Concurrent tasks keep their limit", async x =>
        {
            var pair = new ConcurrentExclusiveSchedulerPair(x.Scheduler, maxConcurrencyLevel: 2);
            var factory = new TaskFactory(pair.ConcurrentScheduler);
            int inside = 0;
            int most = 0;
            await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => factory.StartNew(async () =>
            {
                for (int i = 0; i < 3; i++)
                {
                    most = Math.Max(most, Interlocked.Increment(ref inside));
                    Thread.SpinWait(20);
                    Interlocked.Decrement(ref inside);
                    await Task.Yield();
                }
            }).Unwrap()));
            return $"{most <= 2}";
        }, 200),
        new("Writers and readers exclude each other", async x =>
        {
            var pair = new ConcurrentExclusiveSchedulerPair(x.Scheduler);
            var readers = new TaskFactory(pair.ConcurrentScheduler);
            var writers = new TaskFactory(pair.ExclusiveScheduler);
            int a = 0;
            int b = 0;
            int torn = 0;
            await Task.WhenAll(Enumerable.Range(0, 12).Select(i => i % 3 == 0
                ? writers.StartNew(async () =>
                {
                    a++;
                    b++;
                    await Task.Yield();
                    a++;
                    Thread.SpinWait(20);
                    b++;
                }).Unwrap()
                : readers.StartNew(async () =>
                {
                    torn += a == b ? 0 : 1;
                    await Task.Yield();
                    torn += a == b ? 0 : 1;
                }).Unwrap()));
            return $"{a} {b} {torn}";
        }, 200),
        new("Exclusive scheduler is current after an await", async x => await OnPair(x, async scheduler =>
        {
            TaskScheduler before = TaskScheduler.Current;
            await Task.Yield();
            return $"{before == scheduler} {TaskScheduler.Current == scheduler}";
        })),
        new("Exclusive task sees no context", async x => await OnPair(x, async _ =>
        {
            bool before = SynchronizationContext.Current is null;
            await Task.Yield();
            return $"{before} {SynchronizationContext.Current is null}";
        })),
        new("Exclusive task runs at home", async x => await OnPair(x, async _ =>
        {
            bool before = x.IsHome;
            await Task.Yield();
            return $"{before} {x.IsHome}";
        })),
        new("Exclusive task throws", async x => await End(OnPair(x, async _ =>
        {
            await Task.Yield();
            throw new InvalidOperationException("exclusive");
        }))),
        new("Exclusive task keeps the flow", async x =>
        {
            s_local.Value = "pair";
            return await OnPair(x, async _ =>
            {
                await Task.Yield();
                return s_local.Value!;
            });
        }),
        new("Exclusive task cancelled before its turn", async x =>
        {
            var pair = new ConcurrentExclusiveSchedulerPair(x.Scheduler);
            return await End(Task.Factory.StartNew(static () => { }, Cancelled(), TaskCreationOptions.None, pair.ExclusiveScheduler));
        }),
        new("Exclusive tasks in order", async x =>
        {
            var pair = new ConcurrentExclusiveSchedulerPair(x.Scheduler);
            var factory = new TaskFactory(pair.ExclusiveScheduler);
            List<int> order = [];
            await Task.WhenAll(Enumerable.Range(0, 10).Select(i => factory.StartNew(() => order.Add(i))));
            return string.Join(' ', order);
        }),
        new("Exclusive task run inline by another", async x => await OnPair(x, scheduler =>
        {
            int ranOn = 0;
            new Task(() => ranOn = Environment.CurrentManagedThreadId).RunSynchronously(scheduler);
            return Task.FromResult($"{ranOn == Environment.CurrentManagedThreadId}");
        })),
        new("Exclusive task waits for one of the route", async x => await OnPair(x, _ => Task.FromResult($"{x.Factory.StartNew(() => 5).Result}"))),
        new("Pair completes", async x =>
        {
            var pair = new ConcurrentExclusiveSchedulerPair(x.Scheduler);
            Task task = Task.Factory.StartNew(static () => { }, CancellationToken.None, TaskCreationOptions.None, pair.ConcurrentScheduler);
            pair.Complete();
            await task;
            return await End(pair.Completion);
        }),
        new("Pair refuses after its end", async x =>
        {
            var pair = new ConcurrentExclusiveSchedulerPair(x.Scheduler);
            pair.Complete();
            await pair.Completion;
            try
            {
                _ = Task.Factory.StartNew(static () => { }, CancellationToken.None, TaskCreationOptions.None, pair.ExclusiveScheduler);
                return "nothing";
            }
            catch (TaskSchedulerException exception)
            {
                return exception.InnerException!.GetType().Name;
            }
        }),
        new("Block on an exclusive scheduler", async x =>
        {
            var pair = new ConcurrentExclusiveSchedulerPair(x.Scheduler);
            int plain = 0;
            var options = new ExecutionDataflowBlockOptions { TaskScheduler = pair.ExclusiveScheduler, MaxDegreeOfParallelism = 4 };
            var block = new ActionBlock<int>(
                async _ =>
                {
                    int seen = plain;
                    Thread.SpinWait(20);
                    plain = seen + 1;
                    await Task.Yield();
                    seen = plain;
                    Thread.SpinWait(20);
                    plain = seen + 1;
                },
                options);
            for (int i = 0; i < 10; i++)
            {
                block.Post(i);
            }

            block.Complete();
            await block.Completion;
            return $"{plain}";
        }, 200),
    ];

    private enum Inside
    {
        Nothing,
        Yield,
        Call,
        Delay,
        OtherItem,
    }

    private static async Task<string> OnPair(ParityRoute x, Func<TaskScheduler, Task<string>> body)
    {
        TaskScheduler scheduler = new ConcurrentExclusiveSchedulerPair(x.Scheduler).ExclusiveScheduler;
        return await Task.Factory.StartNew(() => body(scheduler), CancellationToken.None, TaskCreationOptions.None, scheduler).Unwrap();
    }

    /// <summary>Adds to a plain int between awaits, and counts overlaps.</summary>
    private static async Task<string> Exclusive(ParityRoute x, Inside what, int maxItemsPerTask = -1, bool nested = false)
    {
        TaskScheduler target = nested ? new ConcurrentExclusiveSchedulerPair(x.Scheduler).ConcurrentScheduler : x.Scheduler;
        var pair = new ConcurrentExclusiveSchedulerPair(target, maxConcurrencyLevel: -1, maxItemsPerTask);
        var factory = new TaskFactory(pair.ExclusiveScheduler);
        int plain = 0;
        int inside = 0;
        int overlaps = 0;
        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => factory.StartNew(async () =>
        {
            for (int i = 0; i < 3; i++)
            {
                overlaps += Interlocked.Increment(ref inside) == 1 ? 0 : 1;
                int seen = plain;
                Thread.SpinWait(20);
                plain = seen + 1;
                Interlocked.Decrement(ref inside);
                await Between();
            }
        }).Unwrap()));
        return $"{plain} {overlaps}";

        Task Between() => what switch
        {
            Inside.Yield or Inside.Call => YieldOnce(),
            Inside.Delay => Task.Delay(1),
            Inside.OtherItem => x.Run(static () => Thread.SpinWait(20)),
            _ => Task.CompletedTask,
        };
    }

    private static async Task YieldOnce() => await Task.Yield();
}
