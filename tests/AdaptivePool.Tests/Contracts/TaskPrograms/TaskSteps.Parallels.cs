namespace AdaptivePool.Tests.Contracts.TaskPrograms;

internal static partial class TaskSteps
{
    private static TaskStep[] Parallels =>
    [
        Doing("Parallel.For", static (x, p) =>
        {
            var all = new string[p.Children.Length];
            string thrown = "";
            try
            {
                Parallel.For(0, all.Length, LoopOptions(x, p), i =>
                {
                    all[i] = $"{x.Look()} {p.Children[i].Try(x)}";
                    if (i == p.Pick(1, 0, -1, -1, -1))
                    {
                        throw new TaskStepException(p.Number);
                    }
                });
            }
            catch (AggregateException exception)
            {
                // Those behind it may have run or not.
                Array.Fill(all, "any");
                thrown = Outcome.Of(exception);
            }

            return $"{thrown} {string.Join(", ", all)} {x.Look()}";
        }, children: 3) with { MayNotAwait = true },
        Doing("Parallel.ForEach with its own state", static (x, p) =>
        {
            var all = new string[p.Children.Length];
            int begun = 0;
            int ended = 0;
            Parallel.ForEach(
                p.Children.Select(static (child, i) => (child, i)),
                LoopOptions(x, p),
                () => Interlocked.Increment(ref begun),
                (item, _, state) =>
                {
                    all[item.i] = $"{x.Look()} {item.child.Try(x)}";
                    return state;
                },
                _ => Interlocked.Increment(ref ended));
            x.Expect(begun == ended, "a state of a loop was lost");
            return string.Join(", ", all);
        }, children: 3) with { MayNotAwait = true },
        Doing("Parallel.Invoke", static (x, p) =>
        {
            var all = new string[p.Children.Length];
            Parallel.Invoke(LoopOptions(x, p), [.. p.Children.Select((child, i) => (Action)(() => all[i] = $"{x.Look()} {child.Try(x)}"))]);
            return string.Join(", ", all);
        }, children: 3) with { MayNotAwait = true },
        Doing("query", static (x, p) => string.Join(", ", p.Children.AsParallel().AsOrdered()
            .WithDegreeOfParallelism(2).WithExecutionMode(ParallelExecutionMode.ForceParallelism).Select(child => $"{x.Look()} {child.Try(x)}")), children: 3)
            with { Blocks = true, MayNotAwait = true },
        Running("ForEachAsync", static async (x, p) =>
        {
            var all = new string[p.Children.Length];
            int inside = 0;
            await Parallel.ForEachAsync(Enumerable.Range(0, all.Length), LoopOptions(x, p), async (i, token) =>
            {
                x.Expect(Interlocked.Increment(ref inside) <= all.Length, "more bodies than there are");
                string before = x.Look();
                await Task.Yield();
                all[i] = $"{before} {x.Look()} {await p.Children[i].TryRun(x)}";
                Interlocked.Decrement(ref inside);
            });
            return $"{string.Join(", ", all)} {x.Look()}";
        }, children: 3),
    ];

    private static ParallelOptions LoopOptions(TaskHost x, TaskProgram p) =>
        new() { TaskScheduler = x.SchedulerOf(p), MaxDegreeOfParallelism = p.Pick(8, -1, 1, 2, 16) };
}
