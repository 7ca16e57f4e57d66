namespace AdaptivePool.Tests.Contracts.Parity;

internal static partial class ParityCases
{
    private static ParityCase[] ParallelCases =>
    [
        new("Parallel.For", async x => await x.Run(() =>
        {
            int sum = 0;
            Parallel.For(0, 50, On(x), i => Interlocked.Add(ref sum, i));
            return $"{sum}";
        }), 300),
        new("Parallel.For on the runtime's pool", async x => await x.Run(() =>
        {
            int sum = 0;
            Parallel.For(0, 50, i => Interlocked.Add(ref sum, i));
            return $"{sum}";
        }), 300),
        new("Parallel.For on the ambient scheduler", async x => await x.Run(() =>
        {
            int sum = 0;
            Parallel.For(0, 50, new ParallelOptions { TaskScheduler = null }, i => Interlocked.Add(ref sum, i));
            return $"{sum}";
        }), 300),
        new("Parallel.For with partial results", async x => await x.Run(() =>
        {
            int sum = 0;
            Parallel.For(0, 50, On(x), static () => 0, static (i, _, part) => part + i, part => Interlocked.Add(ref sum, part));
            return $"{sum}";
        }), 300),
        new("Parallel.For, one at a time", async x => await x.Run(() =>
        {
            List<int> order = [];
            ParallelOptions options = On(x);
            options.MaxDegreeOfParallelism = 1;
            Parallel.For(0, 6, options, order.Add);
            return string.Join(' ', order);
        }), 300),
        new("Parallel.For stopped", async x => await x.Run(() =>
        {
            ParallelLoopResult result = Parallel.For(0, 1_000, On(x), static (_, state) => state.Stop());
            return $"{result.IsCompleted} {result.LowestBreakIteration}";
        }), 300),
        new("Parallel.For broken off", async x => await x.Run(() =>
        {
            ParallelLoopResult result = Parallel.For(0, 100, On(x), static (i, state) =>
            {
                if (i == 0)
                {
                    state.Break();
                }
            });
            return $"{result.IsCompleted} {result.LowestBreakIteration}";
        }), 300),
        new("Parallel.For throws", async x => await x.Run(() =>
        {
            try
            {
                Parallel.For(0, 4, On(x), static i =>
                {
                    if (i == 2)
                    {
                        throw new InvalidOperationException("two");
                    }
                });
                return "nothing";
            }
            catch (AggregateException exception)
            {
                return string.Join(", ", exception.InnerExceptions.Select(Describe));
            }
        }), 300),
        new("Parallel.For cancelled", async x => await x.Run(() =>
        {
            ParallelOptions options = On(x);
            options.CancellationToken = Cancelled();
            try
            {
                Parallel.For(0, 4, options, static _ => { });
                return "nothing";
            }
            catch (OperationCanceledException exception)
            {
                return $"{exception.CancellationToken == Cancelled()}";
            }
        })),
        new("Parallel.For nested", async x => await x.Run(() =>
        {
            int sum = 0;
            Parallel.For(0, 5, On(x), _ => Parallel.For(0, 5, On(x), i => Interlocked.Add(ref sum, i)));
            return $"{sum}";
        }), 200),
        new("Parallel.For keeps the flow", async x => await x.Run(() =>
        {
            s_local.Value = "loop";
            int strange = 0;
            Parallel.For(0, 20, On(x), _ => strange += s_local.Value == "loop" ? 0 : 1);
            return $"{strange}";
        }), 300),
        new("Parallel.ForEach", async x => await x.Run(() =>
        {
            int sum = 0;
            Parallel.ForEach(Enumerable.Range(0, 30), On(x), i => Interlocked.Add(ref sum, i));
            return $"{sum}";
        }), 300),
        new("Parallel.Invoke", async x => await x.Run(() =>
        {
            int sum = 0;
            Parallel.Invoke(On(x), () => Interlocked.Add(ref sum, 1), () => Interlocked.Add(ref sum, 2), () => Interlocked.Add(ref sum, 4));
            return $"{sum}";
        }), 300),
        new("Parallel.ForEachAsync", async x => await x.Run(async () =>
        {
            int sum = 0;
            await Parallel.ForEachAsync(Enumerable.Range(0, 20), On(x), async (i, _) =>
            {
                await Task.Yield();
                Interlocked.Add(ref sum, i);
            });
            return $"{sum} {x.IsHome}";
        }), 300),
        new("Parallel.ForEachAsync throws", async x => await End(x.Run(async () =>
        {
            ParallelOptions options = On(x);
            options.MaxDegreeOfParallelism = 1;
            await Parallel.ForEachAsync(Enumerable.Range(0, 4), options, async (i, _) =>
            {
                await Task.Yield();
                throw new InvalidOperationException($"{i}");
            });
        })), 300),
        new("Parallel.ForEachAsync keeps its degree", async x => await x.Run(async () =>
        {
            int inside = 0;
            int most = 0;
            ParallelOptions options = On(x);
            options.MaxDegreeOfParallelism = 2;
            await Parallel.ForEachAsync(Enumerable.Range(0, 12), options, async (_, _) =>
            {
                most = Math.Max(most, Interlocked.Increment(ref inside));
                await Task.Yield();
                Interlocked.Decrement(ref inside);
            });
            return $"{most <= 2}";
        }), 300),
        new("Parallel query", async x => await x.Run(() => $"{Enumerable.Range(0, 50).AsParallel().Select(static i => i * 2).Sum()}"), 300),
        new("Parallel query in order", async x
            => await x.Run(() => string.Join(' ', Enumerable.Range(0, 8).AsParallel().AsOrdered().Select(static i => i * 2))), 300),
    ];

    private static ParallelOptions On(ParityRoute x) => new() { TaskScheduler = x.Scheduler };
}
