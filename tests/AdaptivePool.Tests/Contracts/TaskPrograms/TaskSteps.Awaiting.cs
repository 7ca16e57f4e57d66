using System.Runtime.CompilerServices;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Contracts.TaskPrograms;

internal static partial class TaskSteps
{
    private static TaskStep[] Awaiting =>
    [
        Running("await", static async (x, p) =>
        {
            string before = x.Look();
            switch (p.Pick(1, 0, 1, 2, 3, 4, 5))
            {
                case 0:
                    await Task.Yield();
                    break;
                case 1:
                    await Task.Delay(1);
                    break;
                case 2:
                    await Task.Run(static () => 0);
                    break;
                case 3:
                    await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding | ConfigureAwaitOptions.ContinueOnCapturedContext);
                    break;
                case 4:
                    await Task.WhenAny(Task.Delay(1), new TaskCompletionSource().Task);
                    break;
                default:
                    await Start(x, p, static () => new object(), Options(p));
                    break;
            }

            return $"{before} {x.Look()} {await p.Children[0].Run(x)} {x.Look()}";
        }),
        Running("start", static async (x, p) =>
        {
            Task<string> task = StartAsync(x, p, async () => $"{x.Look()} {await p.Children[0].Run(x)} {x.Look()}", Options(p));
            return $"{await Ended(task)} {x.Look()}";
        }),
        Running("start what does not await", static async (x, p) => await Ended(Start(x, p, () => p.Children[0].Do(x), Options(p))))
            with { CallsChildren = true },
        Running("attached children awaited", static async (x, p) =>
        {
            Task[] children = [];
            Task<object> parent = Start(x, p, () => Attach(x, p, out children), ParentOptions(p));
            string ended = await Ended(parent);
            ExpectAllEnded(x, p, children);
            await Task.WhenAll(children).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
            return $"{ended} of {string.Join(", ", children.Select(static child => Outcome.Of(child)))}";
        }, children: 3) with { CallsChildren = true },
        Running("WhenAll", static async (x, p) =>
        {
            Task<string>[] all = [.. p.Children.Select(child => StartAsync(x, child, () => child.Run(x), Options(child)))];
            string together = await Ended(Task.WhenAll(all));
            return $"{(together.StartsWith("RanToCompletion", StringComparison.Ordinal) ? "" : together)} "
                + $"{string.Join(", ", all.Select(static task => Outcome.Of(task)))} {x.Look()}";
        }, children: 3),
        Running("WhenEach", static async (x, p) =>
        {
            var all = p.Children.Select(child => (Child: child, Task: StartAsync(x, child, () => child.Run(x), Options(child)))).ToList();
            int seen = 0;
            await foreach (Task<string> task in Task.WhenEach(all.Select(static it => it.Task)))
            {
                x.Expect(task.IsCompleted, "a task came before its end");
                seen++;
            }

            return $"{seen} {string.Join(", ", all.Select(static it => Outcome.Of(it.Task)))} {x.Look()}";
        }, children: 3),
        Running("WhenAny", static async (x, p) =>
        {
            List<Task<string>> open = [.. p.Children.Select(child => StartAsync(x, child, () => child.TryRun(x), Options(child)))];
            var ended = new List<string>();
            while (open.Count > 0)
            {
                Task<string> first = await Task.WhenAny(open);
                open.Remove(first);
                ended.Add(await first);
            }

            return $"{string.Join(", ", ended.Order(StringComparer.Ordinal))} {x.Look()}";
        }, children: 3),
        Running("leave by ConfigureAwait", static async (x, p) =>
        {
            await Task.Delay(1).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            string outside = x.Look();
            return $"{outside} {await Ended(StartAsync(x, p, () => p.Children[0].Run(x), Options(p)))} {x.Look()}";
        }),
        Running("leave in a called method", static async (x, p) => $"{await Leave(x)} {x.Look()} {await p.Children[0].Run(x)}"),
        Running("flow suppressed", static async (x, p) =>
        {
            Task<string> task;
            using (ExecutionContext.SuppressFlow())
            {
                task = p.Pick(1, true, false)
                    ? StartAsync(x, p, async () => $"{await Told(x, x.Look())} {await p.Children[0].Run(x)}", Options(p))
                    : StartAsync(x, p, () => Told(x, p.Children[0].Try(x)), TaskCreationOptions.PreferFairness);
            }

            return $"{await Ended(task)} {x.Look()}";
        }) with { MayNotAwait = true, SeesNeighbours = true },
        Running("value of another flow awaited", static async (x, p) =>
            $"{x.Look()} {await Under(x, p, async () => $"{await Told(x, "")} {await p.Children[0].Run(x)} {x.Look()}")} {x.Look()}"),
        Running("restored flow", static async (x, p) =>
        {
            ExecutionContext? before = ExecutionContext.Capture();
            string inside = await Under(x, p, () => Told(x, ""));
            x.Flow = "set here";
            if (before is not null)
            {
                ExecutionContext.Restore(before);
            }

            return $"{inside} {await Told(x, "")} {await p.Children[0].Run(x)}";
        }),
        Running("run", static async (x, p) =>
        {
            Task<string> task = x.Run(p, async () => $"{await Told(x, "")} {await p.Children[0].Run(x)}");
            return $"{await Ended(task)} {x.Look()}";
        }) with { NeedsOpenPool = true },
        Running("run what does not await", static async (x, p) => $"{await Ended(x.Run(p, () => p.Children[0].Do(x)))} {x.Look()}")
            with { CallsChildren = true, NeedsOpenPool = true },
        Running("run cancelled", static async (x, p) =>
        {
            using var source = new CancellationTokenSource();
            CancellationToken token = p.Pick(1, true, false) ? source.Token : new CancellationToken(canceled: true);
            Task<string> task = x.Run(
                p,
                async () =>
                {
                    string seen = await p.Children[0].Run(x);
                    await source.CancelAsync();
                    await Task.Delay(-1, source.Token);
                    return seen;
                },
                token);
            return $"{await Ended(task, token)} {x.Look()}";
        }) with { NeedsOpenPool = true },
        Running("queued", static async (x, p) =>
        {
            var source = new TaskCompletionSource<string>(p.Pick(1, TaskCreationOptions.RunContinuationsAsynchronously, TaskCreationOptions.None));
            x.Queue(p, () => source.SetResult($"{x.Look()} {p.Children[0].Try(x)}"));
            return $"{await source.Task} {x.Look()}";
        }) with { MayNotAwait = true, NeedsOpenPool = true },
        Running("posted", static async (x, p) =>
        {
            var source = new TaskCompletionSource<string>(p.Pick(1, TaskCreationOptions.RunContinuationsAsynchronously, TaskCreationOptions.None));
            x.Context.Post(_ => source.SetResult($"{x.Look()} {p.Children[0].Try(x)}"), null);
            return $"{await source.Task} {x.Look()}";
        }) with { MayNotAwait = true },
        Running("asynchronous method without a task", static async (x, p) =>
        {
            var source = new TaskCompletionSource<string>();
            Void();
            return $"{await source.Task} {x.Look()}";

            async void Void()
            {
                await Task.Yield();
                source.SetResult(await p.Children[0].TryRun(x));
            }
        }),
        Running("lease", static async (x, p) =>
        {
            using IDisposable? lease = x.Gate is { } gate ? await gate.AcquireAsync(new TransactionRequest()) : null;
            return $"{await Told(x, "")} {await Ended(StartAsync(x, p, () => p.Children[0].Run(x), Options(p)))} {x.Look()}";
        }),
    ];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<string> Leave(TaskHost x)
    {
        await Task.Run(static () => Thread.SpinWait(100)).ConfigureAwait(false);
        return "left";
    }
}
