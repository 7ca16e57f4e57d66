using System.Threading.Channels;
using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>Two asynchronous functions hand a number to each other through two channels; each awaits the other's answer.</summary>
public class ChannelBenchmarks : DispatchBenchmarkBase
{
    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void Runtime() => PlayAsync(static function => Task.Run(function)).GetAwaiter().GetResult();

    /// <summary>Our pool.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void Adaptive() => PlayAsync(function => Pool.Run(function)).GetAwaiter().GetResult();

    private static Task PlayAsync(Func<Func<Task>, Task> run)
    {
        Channel<int> there = CreateChannel();
        Channel<int> back = CreateChannel();
        return Task.WhenAll(run(() => HandOnAsync(there.Reader, back.Writer)), run(async () =>
        {
            await there.Writer.WriteAsync(0);
            await HandOnAsync(back.Reader, there.Writer);
        }));
    }

    private static Channel<int> CreateChannel() => Channel.CreateUnbounded<int>(new UnboundedChannelOptions { SingleReader = true, SingleWriter = true });

    private static async Task HandOnAsync(ChannelReader<int> from, ChannelWriter<int> to)
    {
        for (int i = Items / 2; i > 0; i--)
        {
            await to.WriteAsync(await from.ReadAsync());
        }
    }
}
