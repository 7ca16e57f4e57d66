using System.Runtime.CompilerServices;

namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] StreamsCases =>
    [
        new("Stream of values", async x => await x.Run(async () =>
        {
            int sum = 0;
            await foreach (int item in Numbers(5))
            {
                sum += item;
            }

            return $"{sum} {x.IsHome}";
        })),
        new("Stream of other items", async x => await x.Run(async () =>
        {
            int sum = 0;
            await foreach (int item in FromItems(x, 4))
            {
                sum += item;
            }

            return $"{sum} {x.IsHome} {TaskScheduler.Current == x.Ambient}";
        }), 400),
        new("Stream with ConfigureAwait(false)", async x => await x.Run(async () =>
        {
            int sum = 0;
            await foreach (int item in Numbers(5).ConfigureAwait(false))
            {
                sum += item;
            }

            return $"{sum}";
        })),
        new("Stream left early is disposed", async x => await x.Run(async () =>
        {
            var disposed = new StrongBox<bool>();
            await foreach (int item in Disposing(disposed))
            {
                if (item == 1)
                {
                    break;
                }
            }

            return $"{disposed.Value}";
        })),
        new("Stream throws", async x => await Thrown(x.Run(async () =>
        {
            await foreach (int item in Throwing())
            {
                _ = item;
            }
        }))),
        new("Stream cancelled", async x =>
        {
            using var source = new CancellationTokenSource();
            return await Thrown(x.Run(async () =>
            {
                await foreach (int item in Endless().WithCancellation(source.Token))
                {
                    if (item == 3)
                    {
                        source.Cancel();
                    }
                }
            }), source.Token);
        }),
        new("Stream keeps the flow of its reader", async x => await x.Run(async () =>
        {
            s_local.Value = "reader";
            string seen = "";
            await foreach (int item in FromItems(x, 2))
            {
                seen += s_local.Value;
            }

            return seen;
        })),
        new("Stream disposed asynchronously", async x => await x.Run(async () =>
        {
            await using var resource = new Resource();
            await Task.Yield();
            return $"{x.IsHome}";
        })),
    ];

    private static async IAsyncEnumerable<int> Numbers(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    private static async IAsyncEnumerable<int> FromItems(ParityRoute x, int count)
    {
        for (int i = 0; i < count; i++)
        {
            yield return await x.Run(() => i);
        }
    }

    private static async IAsyncEnumerable<int> Disposing(StrongBox<bool> disposed)
    {
        try
        {
            for (int i = 0; ; i++)
            {
                await Task.Yield();
                yield return i;
            }
        }
        finally
        {
            await Task.Yield();
            disposed.Value = true;
        }
    }

    private static async IAsyncEnumerable<int> Throwing()
    {
        yield return 1;
        await Task.Yield();
        throw new InvalidOperationException("stream");
    }

    private static async IAsyncEnumerable<int> Endless([EnumeratorCancellation] CancellationToken token = default)
    {
        for (int i = 0; ; i++)
        {
            await Task.Yield();
            token.ThrowIfCancellationRequested();
            yield return i;
        }
    }

    private sealed class Resource : IAsyncDisposable
    {
        public async ValueTask DisposeAsync() => await Task.Yield();
    }
}
