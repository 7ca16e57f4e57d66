using System.Threading.Channels;

namespace AdaptivePool.Tests.Contracts.TaskPrograms;

internal static partial class TaskSteps
{
    private static TaskStep[] Synchronizing =>
    [
        Running("channel", static async (x, p) =>
        {
            Channel<int> channel = p.Pick(1, true, false)
                ? Channel.CreateBounded<int>(1)
                : Channel.CreateUnbounded<int>(new UnboundedChannelOptions { AllowSynchronousContinuations = !MayResumeAnywhere, SingleReader = true });
            Task<string> writing = StartAsync(
                x,
                p,
                async () =>
                {
                    for (int i = 0; i < p.Children.Length; i++)
                    {
                        await channel.Writer.WriteAsync(i);
                    }

                    channel.Writer.Complete();
                    return x.Look();
                },
                Options(p));
            var all = new List<string>();
            await foreach (int i in channel.Reader.ReadAllAsync())
            {
                all.Add($"{i} {x.Look()} {await p.Children[i].TryRun(x)}");
            }

            return $"{await writing} {string.Join(", ", all)} {x.Look()}";
        }, children: 3),
        Running("semaphore", static async (x, p) =>
        {
            using var one = new SemaphoreSlim(1, 1);
            int inside = 0;
            Task<string>[] all = [.. p.Children.Select(child => StartAsync(
                x,
                child,
                async () =>
                {
                    await one.WaitAsync();
                    x.Expect(++inside == 1, "two were inside at once");
                    string seen = $"{x.Look()} {await child.TryRun(x)} {x.Look()}";
                    inside--;
                    one.Release();
                    return seen;
                },
                Options(child)))];
            return $"{string.Join(", ", await Task.WhenAll(all))} {x.Look()}";
        }, children: 3),
        Running("source awaited", static async (x, p) =>
        {
            var source = new TaskCompletionSource<string>(p.Pick(1, TaskCreationOptions.RunContinuationsAsynchronously, TaskCreationOptions.None));
            Task<string>[] waiting = [.. p.Children.Select(child => StartAsync(
                x,
                child,
                async () => $"{await Ended(source.Task)} {x.Look()} {await child.TryRun(x)}",
                Options(child)))];
            await Start(
                x,
                p,
                () =>
                {
                    Complete(p, source);
                    return x.Look();
                },
                Options(p));
            return $"{string.Join(", ", await Task.WhenAll(waiting))} {x.Look()}";
        }, children: 3),
        Running("source of a value task", static async (x, p) =>
        {
            var source = new ValueSource(MayResumeAnywhere || p.Pick(1, true, false));
            Task<object> setting = Start(
                x,
                p,
                () =>
                {
                    source.Set("set");
                    return x.Look();
                },
                Options(p));
            string seen = $"{await source.Value} {x.Look()}";
            return $"{seen} {await Ended(setting)} {await p.Children[0].Run(x)}";
        }),
        Running("wait that is cancelled", static async (x, p) =>
        {
            using var source = new CancellationTokenSource();
            Task waiting = new TaskCompletionSource().Task.WaitAsync(source.Token);
            Task<string> after = StartAsync(x, p, async () => $"{await Ended(waiting, source.Token)} {x.Look()}", Options(p));
            await Start(
                x,
                p,
                () =>
                {
                    source.Cancel();
                    return "cancelled";
                },
                TaskCreationOptions.None);
            return $"{await after} {await p.Children[0].Run(x)} {x.Look()}";
        }),
        Running("stream", static async (x, p) =>
        {
            var all = new List<string>();
            await foreach (string item in Items(x, p))
            {
                all.Add($"{item} {x.Look()}");
            }

            return string.Join(", ", all);
        }, children: 3),
        Running("stream of one value of a flow", static async (x, p) =>
        {
            string before = x.Look();
            string inside = await Under(x, p, async () =>
            {
                await foreach (string item in Items(x, p))
                {
                    return $"{item} {x.Look()}";
                }

                return "nothing";
            });
            return $"{before} {inside} {x.Look()}";
        }),
        Running("timer of a period", static async (x, p) =>
        {
            using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1));
            await timer.WaitForNextTickAsync();
            return $"{x.Look()} {await p.Children[0].Run(x)}";
        }),
        Running("registration", static async (x, p) =>
        {
            using var source = new CancellationTokenSource();
            var seen = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
            string? flow = x.Flow;
            using CancellationTokenRegistration registration = source.Token.Register(() => seen.SetResult($"{x.Flow == flow}"));
            await source.CancelAsync();
            return $"{await seen.Task} {x.Look()} {await p.Children[0].Run(x)}";
        }),
    ];

    /// <summary>
    /// Whether an await here may go on wherever what is awaited ends, under the scheduler of that: where there is no scheduler and no context, sources of value
    /// tasks do so if they may.
    /// </summary>
    private static bool MayResumeAnywhere => TaskScheduler.Current == TaskScheduler.Default;

    private static async IAsyncEnumerable<string> Items(TaskHost x, TaskProgram p)
    {
        foreach (TaskProgram child in p.Children)
        {
            yield return await StartAsync(x, child, () => child.TryRun(x), Options(child));
        }
    }
}
