using System.Diagnostics;
using System.Globalization;

namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] FlowCases =>
    [
        new("AsyncLocal flows in", async x =>
        {
            s_local.Value = "in";
            return await x.Run(() => s_local.Value ?? "nothing");
        }),
        new("AsyncLocal flows into an asynchronous function", async x =>
        {
            s_local.Value = "in";
            return await x.Run(() => Task.FromResult(s_local.Value ?? "nothing"));
        }),
        new("AsyncLocal flows into a LongRunning task", async x =>
        {
            s_local.Value = "in";
            return await x.Factory.StartNew(() => s_local.Value ?? "nothing", TaskCreationOptions.LongRunning);
        }, Few),
        new("AsyncLocal of the creation, not of the start", async x =>
        {
            s_local.Value = "creation";
            var task = new Task<string>(() => s_local.Value ?? "nothing");
            s_local.Value = "start";
            task.Start(x.Scheduler);
            return await task;
        }),
        new("AsyncLocal does not flow out of an item", async x =>
        {
            s_local.Value = "outer";
            await x.Run(() => s_local.Value = "inner");
            return s_local.Value;
        }),
        new("AsyncLocal does not flow out of an asynchronous function", async x =>
        {
            s_local.Value = "outer";
            await x.Run(async () =>
            {
                s_local.Value = "inner";
                await Task.Yield();
                s_local.Value = "later";
            });
            return s_local.Value;
        }),
        new("AsyncLocal does not leak to the next item", async x =>
        {
            string?[] found = await Task.WhenAll(Enumerable.Range(0, 6).Select(i => x.Run(() =>
            {
                string? found = s_local.Value;
                s_local.Value = $"{i}";
                return found;
            })));
            return $"{found.All(static f => f is null)}";
        }),
        new("AsyncLocal stays over awaits", async x => await x.Run(async () =>
        {
            s_local.Value = "kept";
            await Task.Yield();
            string first = s_local.Value;
            await x.Run(static () => s_local.Value = "other");
            return $"{first} {s_local.Value}";
        })),
        new("AsyncLocal stays over ConfigureAwait(false)", async x => await x.Run(async () =>
        {
            s_local.Value = "kept";
            await Task.Delay(1).ConfigureAwait(false);
            return s_local.Value;
        }), Few),
        new("AsyncLocal of the completer is not seen", async x => await x.Run(async () =>
        {
            s_local.Value = "mine";
            var source = new TaskCompletionSource();
            _ = x.Run(() =>
            {
                s_local.Value = "completer";
                source.SetResult();
            });
            await source.Task;
            return s_local.Value;
        })),
        new("AsyncLocal is not seen with the flow suppressed", async x =>
        {
            s_local.Value = "hidden";
            Task<string> task;
            using (ExecutionContext.SuppressFlow())
            {
                task = x.Run(() => s_local.Value ?? "nothing");
            }

            return await task;
        }),
        new("AsyncLocal is not seen by an asynchronous function with the flow suppressed", async x =>
        {
            s_local.Value = "hidden";
            Task<string> task;
            using (ExecutionContext.SuppressFlow())
            {
                task = x.Run(async () =>
                {
                    await Task.Yield();
                    return s_local.Value ?? "nothing";
                });
            }

            return await task;
        }),
        new("AsyncLocal inside ExecutionContext.Run", async x => await x.Run(() =>
        {
            s_local.Value = "captured";
            ExecutionContext captured = ExecutionContext.Capture()!;
            s_local.Value = "now";
            string seen = "";
            ExecutionContext.Run(captured, _ => seen = s_local.Value!, null);
            return $"{seen} {s_local.Value}";
        })),
        new("AsyncLocal of a continuation", async x =>
        {
            s_local.Value = "continued";
            Task<string> task = x.Run(() => { }).ContinueWith(_ => s_local.Value ?? "nothing", x.Scheduler);
            s_local.Value = "changed";
            return await task;
        }),
        new("Activity flows in and over awaits", async x =>
        {
            using Activity activity = new Activity("request").Start();
            return await x.Run(async () =>
            {
                string? before = Activity.Current?.OperationName;
                await Task.Yield();
                return $"{before} {Activity.Current?.OperationName}";
            });
        }),
        new("Activity started inside is not seen outside", async x =>
        {
            await x.Run(async () =>
            {
                new Activity("inner").Start();
                await Task.Yield();
            });
            return $"{Activity.Current is null}";
        }),
        new("Activity parents over items", async x =>
        {
            using Activity activity = new Activity("parent").Start();
            return await x.Run(() =>
            {
                using Activity child = new Activity("child").Start();
                return $"{child.Parent == activity}";
            });
        }),
        new("Culture flows in", async x =>
        {
            CultureInfo.CurrentCulture = s_culture;
            return await x.Run(() => $"{CultureInfo.CurrentCulture == s_culture}");
        }),
        new("Culture flows over awaits", async x => await x.Run(async () =>
        {
            CultureInfo.CurrentCulture = s_culture;
            await Task.Yield();
            return $"{CultureInfo.CurrentCulture == s_culture}";
        })),
        new("Culture does not leak to the next item", async x =>
        {
            bool[] found = await Task.WhenAll(Enumerable.Range(0, 6).Select(_ => x.Run(() =>
            {
                bool leaked = CultureInfo.CurrentCulture == s_culture;
                CultureInfo.CurrentCulture = s_culture;
                return leaked;
            })));
            return $"{found.Any(static f => f)}";
        }),
        new("Culture of the user interface flows", async x =>
        {
            CultureInfo.CurrentUICulture = s_culture;
            return await x.Run(async () =>
            {
                await Task.Yield();
                return $"{CultureInfo.CurrentUICulture == s_culture}";
            });
        }),
        new("Principal flows in", async x =>
        {
            Thread.CurrentPrincipal = new System.Security.Claims.ClaimsPrincipal(new System.Security.Principal.GenericIdentity("somebody"));
            return await x.Run(async () =>
            {
                await Task.Yield();
                return Thread.CurrentPrincipal?.Identity?.Name ?? "nobody";
            });
        }),
    ];
}
