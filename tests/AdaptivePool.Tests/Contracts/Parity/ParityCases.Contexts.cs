namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] ContextsCases =>
    [
        new("Context is null", async x => $"{await x.Run(() => SynchronizationContext.Current is null)}"),
        new("Context of the creator is not seen", async x => await x.Run(async () =>
        {
            var foreign = new SynchronizationContext();
            SynchronizationContext.SetSynchronizationContext(foreign);
            Task<bool> task = x.Run(() => SynchronizationContext.Current == foreign);
            SynchronizationContext.SetSynchronizationContext(null);
            return $"{await task}";
        })),
        new("Context set in an item does not leak", async x =>
        {
            var foreign = new SynchronizationContext();
            bool[] leaked = await Task.WhenAll(Enumerable.Range(0, 6).Select(_ => x.Run(() =>
            {
                bool leaked = SynchronizationContext.Current == foreign;
                SynchronizationContext.SetSynchronizationContext(foreign);
                return leaked;
            })));
            return $"{leaked.Any(static l => l)}";
        }),
        new("Progress reports all", async x => await x.Run(async () =>
        {
            int left = 10;
            var done = new TaskCompletionSource();
            IProgress<int> progress = new Progress<int>(_ =>
            {
                if (Interlocked.Decrement(ref left) == 0)
                {
                    done.SetResult();
                }
            });
            for (int i = 0; i < 10; i++)
            {
                progress.Report(i);
            }

            await done.Task;
            return $"{left}";
        }), 400),
        new("Progress handler runs at home", async x => await x.Run(() => Reported(() => $"{x.IsHome}"))),
        new("Progress handler sees the AsyncLocal of its reporter", async x => await x.Run(async () =>
        {
            s_local.Value = "reporter";
            return await Reported(() => s_local.Value ?? "nothing");
        })),
        new("Progress handler sees the activity of its reporter", async x => await x.Run(async () =>
        {
            using System.Diagnostics.Activity activity = new System.Diagnostics.Activity("reporter").Start();
            return await Reported(() => System.Diagnostics.Activity.Current?.OperationName ?? "nothing");
        })),
        new("Progress handler sees the culture of its reporter", async x => await x.Run(async () =>
        {
            System.Globalization.CultureInfo.CurrentCulture = s_culture;
            return await Reported(() => $"{System.Globalization.CultureInfo.CurrentCulture == s_culture}");
        })),
        new("Progress reported from another item", async x => await x.Run(async () =>
        {
            var seen = new TaskCompletionSource<string>();
            IProgress<int> progress = new Progress<int>(value => seen.SetResult($"{value} {s_local.Value} {x.IsHome}"));
            await x.Run(() =>
            {
                s_local.Value = "other";
                progress.Report(3);
            });
            return await seen.Task;
        })),
        new("Progress reported from another thread", async x => await x.Run(async () =>
        {
            var seen = new TaskCompletionSource<string>();
            IProgress<int> progress = new Progress<int>(value => seen.SetResult($"{value} {s_local.Value} {x.IsHome}"));
            await Task.Run(() =>
            {
                s_local.Value = "elsewhere";
                progress.Report(4);
            });
            return await seen.Task;
        })),
        new("Continuation given to OnCompleted sees its flow", async x => await x.Run(async () =>
        {
            var source = new TaskCompletionSource();
            var seen = new TaskCompletionSource<string>();
            s_local.Value = "awaiter";
            source.Task.GetAwaiter().OnCompleted(() => seen.SetResult(s_local.Value ?? "nothing"));
            s_local.Value = "changed";
            await x.Run(source.SetResult);
            return await seen.Task;
        })),
    ];

    private static async Task<string> Reported(Func<string> look)
    {
        var seen = new TaskCompletionSource<string>();
        ((IProgress<int>)new Progress<int>(_ => seen.SetResult(look()))).Report(1);
        return await seen.Task;
    }
}
