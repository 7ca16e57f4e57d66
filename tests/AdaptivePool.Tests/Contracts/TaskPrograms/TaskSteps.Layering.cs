using System.Globalization;
using System.Threading.Tasks.Dataflow;

namespace AdaptivePool.Tests.Contracts.TaskPrograms;

internal static partial class TaskSteps
{
    private static TaskStep[] Layering =>
    [
        Running("exclusive", static async (x, p) =>
        {
            TaskScheduler exclusive = new ConcurrentExclusiveSchedulerPair(x.SchedulerOf(p), 4, p.Pick(1, -1, 1, 2)).ExclusiveScheduler;
            int inside = 0;
            var order = new List<int>();
            Task<string>[] all = [.. p.Children.Select((child, i) => Task.Factory.StartNew(
                async () =>
                {
                    x.Expect(Interlocked.Increment(ref inside) == 1, "two exclusive tasks ran at once");
                    order.Add(i);
                    string before = x.Look();
                    Interlocked.Decrement(ref inside);
                    await Task.Yield();
                    x.Expect(Interlocked.Increment(ref inside) == 1, "two exclusive tasks ran at once after an await");
                    string after = x.Look();
                    Interlocked.Decrement(ref inside);
                    return $"{before} {after} {await child.Run(x)} {x.Look()}";
                },
                CancellationToken.None,
                TaskCreationOptions.None,
                exclusive).Unwrap())];
            string[] ended = new string[all.Length];
            for (int i = 0; i < all.Length; i++)
            {
                ended[i] = await Ended(all[i]);
            }

            return $"{string.Join(" ", order)} {string.Join(", ", ended)} {x.Look()}";
        }, children: 3),
        Running("sequence", static async (x, p) =>
        {
            Func<Func<Task<string>>, Task<string>> run = x.NewSequence();
            int plain = 0;
            var order = new List<int>();
            Task<string>[] all = [.. p.Children.Select((child, i) => run(async () =>
            {
                order.Add(i);
                string before = x.Look();
                plain++;
                await Task.Yield();
                plain++;
                return $"{before} {x.Look()} {await child.Run(x)} {x.Look()}";
            }))];
            string[] ended = new string[all.Length];
            for (int i = 0; i < all.Length; i++)
            {
                ended[i] = await Ended(all[i]);
            }

            return $"{plain} {string.Join(" ", order)} {string.Join(", ", ended)} {x.Look()}";
        }, children: 3) with { NeedsOpenPool = true },
        Running("readers and writers", static async (x, p) =>
        {
            var pair = new ConcurrentExclusiveSchedulerPair(x.SchedulerOf(p));
            int readers = 0;
            int writers = 0;
            Task<string>[] all = [.. p.Children.Select((child, i) => Task.Factory.StartNew(
                async () =>
                {
                    await Task.Yield();
                    ref int mine = ref i % 2 == 0 ? ref readers : ref writers;
                    int now = Interlocked.Increment(ref mine);
                    x.Expect(i % 2 == 0 ? Volatile.Read(ref writers) == 0 : now == 1 && Volatile.Read(ref readers) == 0, "a writer was not alone");
                    string seen = x.Look();
                    Interlocked.Decrement(ref mine);
                    return $"{seen} {await StartAsync(x, child, () => child.TryRun(x), Options(child))} {x.Look()}";
                },
                CancellationToken.None,
                TaskCreationOptions.None,
                i % 2 == 0 ? pair.ConcurrentScheduler : pair.ExclusiveScheduler).Unwrap())];
            return string.Join(", ", await Task.WhenAll(all));
        }, children: 3),
        Running("scheduler of a context", static async (x, p) =>
        {
            TaskScheduler scheduler;
            SynchronizationContext? before = SynchronizationContext.Current;
            SynchronizationContext.SetSynchronizationContext(x.Context);
            try
            {
                scheduler = TaskScheduler.FromCurrentSynchronizationContext();
            }
            finally
            {
                SynchronizationContext.SetSynchronizationContext(before);
            }

            Task<string> task = Task.Factory.StartNew(
                async () =>
                {
                    string before = x.Look();

                    // An await that always suspends: what is seen afterwards would depend on whether the awaited code has ended already.
                    await Task.Yield();
                    return $"{before} {x.Look()} {await Told(x, "")} {await p.Children[0].Run(x)}";
                },
                CancellationToken.None,
                Options(p),
                scheduler).Unwrap();
            return $"{await Ended(task)} {x.Look()}";
        }),
        Running("scheduler of a user", static async (x, p) =>
        {
            var scheduler = new TopScheduler(x.SchedulerOf(p));
            Task<string>[] all = [.. p.Children.Select(child => Task.Factory.StartNew(
                async () => $"{x.Look()} {await Told(x, "")} {await child.TryRun(x)} {x.Look()}",
                CancellationToken.None,
                child.Pick(1, TaskCreationOptions.None, TaskCreationOptions.HideScheduler),
                scheduler).Unwrap())];
            return $"{string.Join(", ", await Task.WhenAll(all))} {x.Look()}";
        }, children: 3),
        Running("block", static async (x, p) =>
        {
            // What flows into a block is by chance: the flow of whoever has given it the item before, or of its own.
            x.Flow = null;
            CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
            var options = new ExecutionDataflowBlockOptions { TaskScheduler = x.SchedulerOf(p), MaxDegreeOfParallelism = p.Pick(1, 1, 2, -1) };
            var block = new TransformBlock<TaskProgram, string>(async child => $"{x.Look()} {await child.TryRun(x)} {x.Look()}", options);
            Array.ForEach(p.Children, child => block.Post(child));
            block.Complete();
            var all = new List<string>();
            while (await block.OutputAvailableAsync())
            {
                all.Add($"{x.Look()} {await block.ReceiveAsync()}");
            }

            await block.Completion;
            return $"{string.Join(", ", all)} {x.Look()}";
        }, children: 3),
        Running("context cleared", static async (x, p) =>
        {
            SynchronizationContext.SetSynchronizationContext(null);
            string told = await Told(x, "");
            return $"{told} {await Ended(StartAsync(x, p, () => p.Children[0].Run(x), Options(p)))}";
        }),
        Running("context of a user", static async (x, p) =>
        {
            SynchronizationContext.SetSynchronizationContext(new ReferenceContext());
            await Task.Yield();
            string outside = $"{x.Look()} {SynchronizationContext.Current is ReferenceContext}";
            return $"{outside} {await Ended(StartAsync(x, p, () => p.Children[0].Run(x), Options(p)))}";
        }),
        Running("context of a user in a task", static async (x, p) =>
        {
            Task<string> task = StartAsync(
                x,
                p,
                async () =>
                {
                    SynchronizationContext.SetSynchronizationContext(new ReferenceContext());
                    return await Told(x, "");
                },
                Options(p));
            return $"{await Ended(task)} {x.Look()} {await p.Children[0].Run(x)} {x.Look()}";
        }),
        Running("thread changed", static async (x, p) =>
        {
            Task<string> task = StartAsync(
                x,
                p,
                async () =>
                {
                    Thread.CurrentThread.Priority = ThreadPriority.BelowNormal;
                    Thread.CurrentThread.IsBackground = false;
                    await Task.Yield();
                    return await p.Children[0].Run(x);
                },
                Options(p));
            string ended = await Ended(task);

            // If the child has ended first, the changed thread is the one that ends the task, and goes on here. So it is on the runtime's pool.
            await Task.Yield();
            return $"{ended} {x.Look()}";
        }) with { SeesNeighbours = true },
        Running("children on another thread", static async (x, p) =>
        {
            var source = new TaskCompletionSource<Task<string>>();
            var thread = new Thread(() => source.SetResult(StartAsync(x, p, () => p.Children[0].Run(x), Options(p)))) { IsBackground = true };
            thread.Start();
            return $"{await Ended(await source.Task)} {x.Look()}";
        }),
    ];
}
