using System.Threading.Tasks.Dataflow;

namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] DataflowCases =>
    [
        new("ActionBlock", async x =>
        {
            int sum = 0;
            var block = new ActionBlock<int>(i => sum += i, Options(x));
            await Feed(block, 6);
            return $"{sum}";
        }, 400),
        new("ActionBlock in parallel", async x =>
        {
            int sum = 0;
            var block = new ActionBlock<int>(i => Interlocked.Add(ref sum, i), Options(x, degree: 4));
            await Feed(block, 12);
            return $"{sum}";
        }, 400),
        new("ActionBlock of an asynchronous function never overlaps", async x =>
        {
            int inside = 0;
            int overlaps = 0;
            var block = new ActionBlock<int>(
                async _ =>
                {
                    overlaps += Interlocked.Increment(ref inside) == 1 ? 0 : 1;
                    await Task.Yield();
                    Interlocked.Decrement(ref inside);
                },
                Options(x));
            await Feed(block, 6);
            return $"{overlaps}";
        }, 400),
        new("ActionBlock runs at home", async x =>
        {
            bool home = true;
            var block = new ActionBlock<int>(
                async _ =>
                {
                    home &= x.IsHome;
                    await Task.Yield();
                    home &= x.IsHome;
                },
                Options(x));
            await Feed(block, 3);
            return $"{home}";
        }, 400),
        new("ActionBlock throws", async x =>
        {
            var block = new ActionBlock<int>(static _ => throw new InvalidOperationException("block"), Options(x));
            block.Post(1);
            return await End(block.Completion);
        }, 400),
        new("ActionBlock throws later", async x =>
        {
            var block = new ActionBlock<int>(
                static async _ =>
                {
                    await Task.Yield();
                    throw new InvalidOperationException("block");
                },
                Options(x));
            block.Post(1);
            return await End(block.Completion);
        }, 400),
        new("ActionBlock cancelled", async x =>
        {
            using var source = new CancellationTokenSource();
            ExecutionDataflowBlockOptions options = Options(x);
            options.CancellationToken = source.Token;
            var block = new ActionBlock<int>(static _ => { }, options);
            source.Cancel();
            return await End(block.Completion);
        }, 400),
        new("TransformBlock keeps the order", async x =>
        {
            var block = new TransformBlock<int, int>(
                static async i =>
                {
                    await Task.Yield();
                    return i;
                },
                Options(x, degree: 4));
            List<int> seen = [];
            var sink = new ActionBlock<int>(seen.Add, Options(x));
            block.LinkTo(sink, new DataflowLinkOptions { PropagateCompletion = true });
            await Feed(block, 8);
            await sink.Completion;
            return string.Join(' ', seen);
        }, 300),
        new("TransformManyBlock", async x =>
        {
            var block = new TransformManyBlock<int, int>(static i => Enumerable.Repeat(i, 2), Options(x));
            int count = 0;
            var sink = new ActionBlock<int>(_ => count++, Options(x));
            block.LinkTo(sink, new DataflowLinkOptions { PropagateCompletion = true });
            await Feed(block, 5);
            await sink.Completion;
            return $"{count}";
        }, 300),
        new("Block of capacity 1 postpones", async x =>
        {
            int sum = 0;
            ExecutionDataflowBlockOptions options = Options(x);
            options.BoundedCapacity = 1;
            var block = new ActionBlock<int>(i => sum += i, options);
            bool accepted = true;
            for (int i = 0; i < 6; i++)
            {
                accepted &= await block.SendAsync(i);
            }

            block.Complete();
            await block.Completion;
            return $"{accepted} {sum}";
        }, 300),
        new("BatchBlock", async x =>
        {
            var block = new BatchBlock<int>(3, new GroupingDataflowBlockOptions { TaskScheduler = x.Scheduler });
            List<int> sizes = [];
            var sink = new ActionBlock<int[]>(batch => sizes.Add(batch.Length), Options(x));
            block.LinkTo(sink, new DataflowLinkOptions { PropagateCompletion = true });
            await Feed(block, 7);
            await sink.Completion;
            return string.Join(' ', sizes);
        }, 300),
        new("BufferBlock received by an item", async x =>
        {
            var block = new BufferBlock<int>(new DataflowBlockOptions { TaskScheduler = x.Scheduler });
            Task<int> receiver = x.Run(() => block.ReceiveAsync());
            block.Post(7);
            return $"{await receiver}";
        }, 400),
        new("Block keeps the flow of nobody", async x =>
        {
            int strange = 0;
            var block = new ActionBlock<int>(_ => strange += s_local.Value is null or "feeder" ? 0 : 1, Options(x));
            s_local.Value = "feeder";
            await Feed(block, 3);
            return $"{strange}";
        }, 300),
    ];

    private static ExecutionDataflowBlockOptions Options(ParityRoute x, int degree = 1)
        => new() { TaskScheduler = x.Scheduler, MaxDegreeOfParallelism = degree };

    private static async Task Feed(ITargetBlock<int> block, int count)
    {
        for (int i = 0; i < count; i++)
        {
            block.Post(i);
        }

        block.Complete();
        if (block is ActionBlock<int>)
        {
            await block.Completion;
        }
    }
}
