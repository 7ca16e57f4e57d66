using System.Threading.Channels;

namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] ChannelsCases =>
    [
        new("Channel, one writer and one reader", async x => $"{await ReadAndWrite(x, Channel.CreateUnbounded<int>())}"),
        new("Channel of a single reader", async x
            => $"{await ReadAndWrite(x, Channel.CreateUnbounded<int>(new UnboundedChannelOptions { SingleReader = true, SingleWriter = true }))}"),
        new("Channel of capacity 1", async x => $"{await ReadAndWrite(x, Channel.CreateBounded<int>(1))}"),
        new("Channel with synchronous continuations", async x =>
            $"{await ReadAndWrite(x, Channel.CreateUnbounded<int>(new UnboundedChannelOptions { AllowSynchronousContinuations = true }))}"),
        new("Channel with priorities", async x => await x.Run(async () =>
        {
            Channel<int> channel = Channel.CreateUnboundedPrioritized<int>();
            channel.Writer.TryWrite(3);
            channel.Writer.TryWrite(1);
            channel.Writer.TryWrite(2);
            channel.Writer.Complete();
            return string.Join(' ', await Drain(channel.Reader));
        })),
        new("Channel drops the oldest", async x => await x.Run(async () =>
        {
            Channel<int> channel = Channel.CreateBounded<int>(new BoundedChannelOptions(2) { FullMode = BoundedChannelFullMode.DropOldest });
            for (int i = 0; i < 5; i++)
            {
                await channel.Writer.WriteAsync(i);
            }

            channel.Writer.Complete();
            return string.Join(' ', await Drain(channel.Reader));
        })),
        new("Channel ends with an error", async x =>
        {
            Channel<int> channel = Channel.CreateUnbounded<int>();
            Task<int> reader = x.Run(async () => await channel.Reader.ReadAsync());
            await x.Run(() => channel.Writer.Complete(new IOException("source")));
            return await Thrown(reader);
        }),
        new("Channel read is cancelled", async x =>
        {
            Channel<int> channel = Channel.CreateUnbounded<int>();
            using var source = new CancellationTokenSource();
            Task<int> reader = x.Run(async () => await channel.Reader.ReadAsync(source.Token));
            await x.Run(source.Cancel);
            return $"{(await Thrown(reader, source.Token)).Contains("mine", StringComparison.Ordinal)} {reader.Status}";
        }),
        new("Channel has nothing to wait for after its end", async x =>
        {
            Channel<int> channel = Channel.CreateUnbounded<int>();
            Task<bool> waiting = x.Run(async () => await channel.Reader.WaitToReadAsync());
            channel.Writer.Complete();
            return $"{await waiting}";
        }),
        new("Channel reader comes home", async x =>
        {
            Channel<int> channel = Channel.CreateUnbounded<int>();
            Task<string> reader = x.Run(async () =>
            {
                await channel.Reader.ReadAsync();
                return $"{x.IsHome} {TaskScheduler.Current == x.Ambient}";
            });
            await Task.Run(() => channel.Writer.TryWrite(1));
            return await reader;
        }),
        new("Channel reader keeps its flow", async x =>
        {
            Channel<int> channel = Channel.CreateUnbounded<int>();
            Task<string> reader = x.Run(async () =>
            {
                s_local.Value = "reader";
                await channel.Reader.ReadAsync();
                return s_local.Value;
            });
            await x.Run(() =>
            {
                s_local.Value = "writer";
                channel.Writer.TryWrite(1);
            });
            return await reader;
        }),
        new("Channel of many writers and readers", async x =>
        {
            Channel<int> channel = Channel.CreateBounded<int>(4);
            Task<int>[] readers = [.. Enumerable.Range(0, 3).Select(_ => x.Run(async () => (await Drain(channel.Reader)).Sum()))];
            await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => x.Run(async () =>
            {
                for (int i = 1; i <= 5; i++)
                {
                    await channel.Writer.WriteAsync(i);
                }
            })));
            channel.Writer.Complete();
            return $"{(await Task.WhenAll(readers)).Sum()}";
        }, 300),
        new("Channel pipeline of three stages", async x =>
        {
            Channel<int> one = Channel.CreateBounded<int>(1);
            Channel<int> two = Channel.CreateBounded<int>(1);
            Task stage = x.Run(async () =>
            {
                await foreach (int item in one.Reader.ReadAllAsync())
                {
                    await two.Writer.WriteAsync(item * 2);
                }

                two.Writer.Complete();
            });
            Task<List<int>> sink = x.Run(() => Drain(two.Reader));
            for (int i = 0; i < 5; i++)
            {
                await one.Writer.WriteAsync(i);
            }

            one.Writer.Complete();
            await stage;
            return string.Join(' ', await sink);
        }, 300),
    ];

    private static async Task<List<T>> Drain<T>(ChannelReader<T> reader)
    {
        List<T> all = [];
        await foreach (T item in reader.ReadAllAsync())
        {
            all.Add(item);
        }

        return all;
    }

    private static async Task<int> ReadAndWrite(ParityRoute x, Channel<int> channel)
    {
        Task<int> reader = x.Run(async () => (await Drain(channel.Reader)).Sum());
        await x.Run(async () =>
        {
            for (int i = 1; i <= 5; i++)
            {
                await channel.Writer.WriteAsync(i);
            }

            channel.Writer.Complete();
        });
        return await reader;
    }
}
