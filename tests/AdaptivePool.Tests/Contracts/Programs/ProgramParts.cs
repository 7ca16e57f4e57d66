using System.Threading.Channels;

namespace AdaptivePool.Tests.Contracts.Programs;

/// <summary>The ways in which users run code in code.</summary>
internal static class ProgramParts
{
    public static ProgramPart[] All { get; } =
    [
        .. Awaiting(),
        .. Blocking(),
    ];

    /// <summary>Those that one thread can run.</summary>
    public static ProgramPart[] NonBlocking { get; } = [.. All.Where(static part => !part.Blocks)];

    /// <summary>Those that stay on the pool.</summary>
    public static ProgramPart[] Staying { get; } = [.. All.Where(static part => !part.Leaves)];

    private static IEnumerable<ProgramPart> Awaiting()
    {
        yield return One("call", static (x, p) => p.Children[0].Run(x));
        yield return One("await", static (x, p) => x.Run(p.Children[0]));
        yield return Many("await in turn", static async (x, p) =>
        {
            List<(int, int?)> all = [];
            foreach (RandomProgram child in p.Children)
            {
                all.Add(await x.Run(() => child.Try(x)));
            }

            return ProgramHost.Sum([.. all]);
        });
        yield return Many("WhenAll", static async (x, p) => ProgramHost.Sum(await Task.WhenAll(x.TryAll(p))));
        yield return Many("WhenAny", static async (x, p) =>
        {
            Task<(int, int?)>[] all = x.TryAll(p);
            List<Task<(int, int?)>> open = [.. all];
            while (open.Count > 0)
            {
                open.Remove(await Task.WhenAny(open));
            }

            return ProgramHost.Sum(await Task.WhenAll(all));
        });
        yield return One("StartNew of an asynchronous function", static (x, p) =>
            x.Factory.StartNew(() => p.Children[0].Run(x), Option(p, TaskCreationOptions.HideScheduler, TaskCreationOptions.PreferFairness)).Unwrap());
        yield return One("ContinueWith", static (x, p) => x.Run(p.Children[0]).ContinueWith(
            static it => it.GetAwaiter().GetResult(),
            CancellationToken.None,
            (p.Number % 3) switch
            {
                0 => TaskContinuationOptions.ExecuteSynchronously,
                1 => TaskContinuationOptions.RunContinuationsAsynchronously,
                _ => TaskContinuationOptions.None,
            },
            x.Scheduler));
        yield return One("Post", static (x, p) => Completed(p, done => x.Post(done), x));
        yield return One("work item", static (x, p) => Completed(p, done => x.Queue(done, preferLocal: p.Number % 3 == 0), x));
        yield return One("ConfigureAwait", static async (x, p) =>
        {
            int sum = await x.Run(p.Children[0]).ConfigureAwait(false);
            await Task.Yield();
            return sum;
        }) with { Leaves = true };
        yield return One("completion source", static async (x, p) =>
        {
            var source = new TaskCompletionSource(Option(p, TaskCreationOptions.RunContinuationsAsynchronously, TaskCreationOptions.None));
            Task<int> waiting = After(source.Task);
            if (p.Number % 3 == 0)
            {
                await x.Factory.StartNew(source.SetResult);
            }
            else
            {
                source.SetResult();
            }

            return await waiting;

            async Task<int> After(Task task)
            {
                await task;
                return await p.Children[0].Run(x);
            }
        });
        yield return One("lock", static async (x, p) =>
        {
            await x.Lock.WaitAsync();
            x.EnterLock(1);
            if (p.Number % 2 == 0)
            {
                await Task.Yield();
            }

            x.EnterLock(-1);
            x.Lock.Release();
            return await p.Children[0].Run(x);
        });
        yield return One("cancelled before", static async (x, p) =>
        {
            bool hasRun = false;
            Task<bool> cancelled = x.Factory.StartNew(() => hasRun = true, new CancellationToken(canceled: true));
            await ((Task)cancelled).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
            x.Expect(cancelled.IsCanceled && !hasRun, "a cancelled task ran");
            return await p.Children[0].Run(x);
        });
        yield return One("value task", static (x, p) => x.Pool?.Run(async ValueTask<int> () => await p.Children[0].Run(x)) ?? x.Run(p.Children[0]));
        yield return One("flow", static (x, p) => x.RunUnderValue(p.Children[0]));
        yield return One("there and back", static async (x, p) => await Task.Run(static () => 0) + await x.Run(p.Children[0]));
        yield return One("class", static (x, p) => x.Pool?.GetClass($"class {p.Number % 4}").Run(() => p.Children[0].Run(x)) ?? x.Run(p.Children[0]));
        yield return One("priority", static (x, p) =>
            x.Pool?.Run(() => p.Children[0].Run(x), p.Number % 2 == 0 ? WorkPriority.High : WorkPriority.Normal) ?? x.Run(p.Children[0]));
        yield return One("elastic", static (x, p) => x.Pool?.Elastic.Run(() => p.Children[0].Run(x)) ?? x.Run(p.Children[0]))
            with { Leaves = true };
        yield return One("scheduler on top", static (x, p) =>
            Task.Factory.StartNew(() => p.Children[0].Run(x), CancellationToken.None, TaskCreationOptions.None, x.Concurrent).Unwrap())
            with { Leaves = true };
        yield return Many("channel", static async (x, p) =>
        {
            Channel<int> channel = Channel.CreateBounded<int>(1);
            Task<int> writing = x.Run(async () =>
            {
                for (int i = 0; i < p.Children.Length; i++)
                {
                    await channel.Writer.WriteAsync(i);
                }

                channel.Writer.Complete();
                return 0;
            });
            var all = new (int, int?)[p.Children.Length];
            await foreach (int i in channel.Reader.ReadAllAsync())
            {
                all[i] = await p.Children[i].Try(x);
            }

            return await writing + ProgramHost.Sum(all);
        });
    }

    private static IEnumerable<ProgramPart> Blocking()
    {
        yield return One("Result", static (x, p) => Task.FromResult(x.Run(p.Children[0]).GetAwaiter().GetResult()), blocks: true);
        yield return Many("WaitAll", static (x, p) =>
        {
            Task<(int, int?)>[] all = x.TryAll(p);
            Task.WaitAll(all);
            return Task.FromResult(ProgramHost.Sum([.. all.Select(static it => it.Result)]));
        }, blocks: true);
        yield return One("sync over async", static (x, p) => x.Run(() => p.Children[0].Run(x).GetAwaiter().GetResult()), blocks: true);
        yield return One("StartNew of a function that blocks", static (x, p) => x.Factory.StartNew(
            () => p.Children[0].Run(x).GetAwaiter().GetResult(), Option(p, TaskCreationOptions.LongRunning, TaskCreationOptions.PreferFairness)), blocks: true)
            with { Leaves = true };
        yield return Many("Parallel.For", static (x, p) =>
        {
            var all = new (int, int?)[p.Children.Length];
            var options = new ParallelOptions { TaskScheduler = x.Scheduler, MaxDegreeOfParallelism = p.Number % 3 == 0 ? 2 : -1 };
            Parallel.For(0, all.Length, options, i => all[i] = p.Children[i].Try(x).GetAwaiter().GetResult());
            return Task.FromResult(ProgramHost.Sum(all));
        }, blocks: true);
        yield return Many("attached children", static async (x, p) =>
        {
            var all = new (int, int?)[p.Children.Length];
            await x.Factory.StartNew(() =>
            {
                for (int i = 0; i < all.Length; i++)
                {
                    int own = i;
                    x.Factory.StartNew(() => { all[own] = p.Children[own].Try(x).GetAwaiter().GetResult(); }, TaskCreationOptions.AttachedToParent);
                }
            });
            return ProgramHost.Sum(all);
        }, blocks: true);
        yield return One("Send", static (x, p) =>
        {
            (int, int?) result = default;
            (x.Pool?.SynchronizationContext ?? new SynchronizationContext()).Send(_ => result = p.Children[0].Try(x).GetAwaiter().GetResult(), null);
            return Task.FromResult(ProgramHost.Sum([result]));
        }, blocks: true);
    }

    private static ProgramPart One(string name, Func<ProgramHost, RandomProgram, Task<int>> run, bool blocks = false) => new(name, HasMany: false, blocks, run);

    private static ProgramPart Many(string name, Func<ProgramHost, RandomProgram, Task<int>> run, bool blocks = false) => new(name, HasMany: true, blocks, run);

    private static TaskCreationOptions Option(RandomProgram program, TaskCreationOptions even, TaskCreationOptions odd) => program.Number % 2 == 0 ? even : odd;

    // What is queued tells its end by a source.
    private static Task<int> Completed(RandomProgram program, Action<Action> queue, ProgramHost host)
    {
        var source = new TaskCompletionSource<int>(Option(program, TaskCreationOptions.RunContinuationsAsynchronously, TaskCreationOptions.None));
        queue(() => _ = Complete());
        return source.Task;

        async Task Complete()
        {
            Task<int> child = program.Children[0].Run(host);
            await ((Task)child).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
            source.SetFromTask(child);
        }
    }
}
