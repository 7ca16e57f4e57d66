namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] FactoriesCases =>
    [
        new("StartNew without a scheduler, in an action", async x =>
        {
            Task<string> inner = null!;
            await x.Run(() => { inner = Task.Factory.StartNew(() => $"{TaskScheduler.Current == x.Ambient}"); });
            return await inner;
        }),
        new("StartNew without a scheduler, in an asynchronous function", async x => await x.Run(() => AmbientHere(x))),
        new("StartNew without a scheduler, after a yield", async x => await x.Run(async () =>
        {
            await Task.Yield();
            return await AmbientHere(x);
        })),
        new("StartNew without a scheduler, after a delay", async x => await x.Run(async () =>
        {
            await Task.Delay(1);
            return await AmbientHere(x);
        }), Few),
        new("StartNew without a scheduler, after an await of what has ended", async x => await x.Run(async () =>
        {
            await Task.CompletedTask;
            return await AmbientHere(x);
        })),
        new("StartNew without a scheduler, after an await that another item ends", async x => await x.Run(async () =>
        {
            var source = new TaskCompletionSource();
            _ = x.Run(source.SetResult);
            await source.Task;
            return await AmbientHere(x);
        })),
        new("StartNew without a scheduler, in a function that an action started", async x =>
        {
            var seen = new TaskCompletionSource<string>();
            await x.Run(() => { _ = Look(); });
            return await seen.Task;

            async Task Look()
            {
                await Task.Yield();
                seen.SetResult(await AmbientHere(x));
            }
        }),
        new("StartNew without a scheduler, after ConfigureAwait(false)", async x => await x.Run(async () =>
        {
            await Task.Delay(1).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            return await Task.Factory.StartNew(() => $"{TaskScheduler.Current == TaskScheduler.Default}");
        }), Few),
        new("StartNew hiding the scheduler", async x
            => $"{await x.Factory.StartNew(() => TaskScheduler.Current == TaskScheduler.Default, TaskCreationOptions.HideScheduler)}"),
        new("StartNew with state", async x => $"{await x.Factory.StartNew(static state => $"{state}!", "state")}"),
        new("StartNew state is on the task", async x =>
        {
            Task task = x.Factory.StartNew(static _ => { }, "state");
            await task;
            return $"{task.AsyncState}";
        }),
        new("StartNew prefers fairness", async x => $"{await x.Factory.StartNew(() => x.IsHome, TaskCreationOptions.PreferFairness)}"),
        new("StartNew of an asynchronous function ends before it", async x =>
        {
            var source = new TaskCompletionSource();
            Task<Task> outer = x.Factory.StartNew(() => (Task)Rest());
            await outer;
            bool ended = outer.Result.IsCompleted;
            source.SetResult();
            await outer.Unwrap();
            return $"{ended}";

            async Task Rest() => await source.Task;
        }),
        new("StartNew nested three deep", async x
            => $"{await await await x.Factory.StartNew(() => x.Factory.StartNew(() => x.Factory.StartNew(() => x.IsHome)))}"),
        new("FromAsync of a begin and end pair", async x => $"{await x.Factory.FromAsync((callback, state) =>
        {
            var source = new TaskCompletionSource<int>(state);
            _ = x.Run(() =>
            {
                source.SetResult(3);
                callback(source.Task);
            });
            return source.Task;
        }, static result => ((Task<int>)result).Result, null)}"),
        new("Factory scheduler", x => Task.FromResult($"{x.Factory.Scheduler == x.Scheduler}")),
    ];

    private static async Task<string> AmbientHere(ParityRoute x) => await Task.Factory.StartNew(() => $"{TaskScheduler.Current == x.Ambient}");
}
