namespace AdaptivePool.Tests.Contracts.TaskPrograms;

internal static partial class TaskSteps
{
    private static TaskStep[] Continuing =>
    [
        Doing("continuation", static (x, p) =>
        {
            using var source = new CancellationTokenSource();
            CancellationToken token = p.Pick(1, CancellationToken.None, source.Token, source.Token, new CancellationToken(canceled: true));
            TaskContinuationOptions options = ContinuationOptions(p);
            Task<object>? continuation = null;
            var antecedent = new Task<object>(() => Antecedent(x, p, source, () => continuation!.IsCompleted), Options(p));
            continuation = antecedent.ContinueWith(
                ended => (object)$"{x.Look()} after {Outcome.Of(ended)}: {p.Children[0].Do(x)}", token, options, x.SchedulerOf(p));
            Task<string> last = continuation.ContinueWith(
                ended => $"{x.Look()} {Outcome.Of(ended, token)}",
                CancellationToken.None,
                p.Pick(5, TaskContinuationOptions.ExecuteSynchronously, TaskContinuationOptions.None),
                x.Own);
            antecedent.Start(x.Own);
            return $"{Wait(antecedent)} {Wait(continuation)} {options} {Wait(last)} {Outcome.Of(continuation, token)} {Outcome.Of(last)}";
        }),
        Running("continuations of a source", static async (x, p) =>
        {
            var source = new TaskCompletionSource<string>(
                p.Pick(1, TaskCreationOptions.RunContinuationsAsynchronously, TaskCreationOptions.None, TaskCreationOptions.None));
            Task<string>[] all = [.. p.Children.Select(child => source.Task.ContinueWith(
                ended => $"{x.Look()} after {Outcome.Of(ended)}: {child.Try(x)}",
                CancellationToken.None,
                child.Pick(2, TaskContinuationOptions.ExecuteSynchronously, TaskContinuationOptions.PreferFairness, TaskContinuationOptions.HideScheduler),
                x.SchedulerOf(child)))];
            Complete(p, source);
            return $"{x.Look()} {string.Join(", ", await Task.WhenAll(all))}";
        }, children: 3) with { MayNotAwait = true },
        Running("continuation of several", static async (x, p) =>
        {
            Task<object>[] all = [.. p.Children.Select(child => Start(x, child, () => child.Do(x), Options(child)))];
            Task<string> joined = p.Pick(1, true, false)
                ? Task.Factory.ContinueWhenAll(all, ended => $"{x.Look()} {Outcomes(ended)}", CancellationToken.None, TaskContinuationOptions.None, x.Own)
                : Task.Factory.ContinueWhenAll(
                    all,
                    ended => $"{x.Look()} {Outcomes(ended)}",
                    CancellationToken.None,
                    TaskContinuationOptions.ExecuteSynchronously | TaskContinuationOptions.HideScheduler,
                    x.Own);
            return await joined;
        }, children: 3) with { CallsChildren = true },
        Running("continuation unwrapped", static async (x, p) => await Ended(StartAsync(x, p, () => p.Children[0].Run(x), Options(p))
            .ContinueWith(ended => Told(x, Outcome.Of(ended)), CancellationToken.None, TaskContinuationOptions.None, x.SchedulerOf(p)).Unwrap())),
    ];

    private static TaskContinuationOptions ContinuationOptions(TaskProgram p) => p.Pick(
        2,
        TaskContinuationOptions.None,
        TaskContinuationOptions.None,
        TaskContinuationOptions.ExecuteSynchronously,
        TaskContinuationOptions.LazyCancellation,
        TaskContinuationOptions.HideScheduler,
        TaskContinuationOptions.PreferFairness,
        TaskContinuationOptions.RunContinuationsAsynchronously,
        TaskContinuationOptions.DenyChildAttach | TaskContinuationOptions.LazyCancellation,
        TaskContinuationOptions.OnlyOnFaulted,
        TaskContinuationOptions.OnlyOnCanceled | TaskContinuationOptions.ExecuteSynchronously,
        TaskContinuationOptions.OnlyOnRanToCompletion | TaskContinuationOptions.LazyCancellation,
        TaskContinuationOptions.NotOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
        TaskContinuationOptions.NotOnCanceled | TaskContinuationOptions.LazyCancellation | TaskContinuationOptions.ExecuteSynchronously,
        TaskContinuationOptions.NotOnRanToCompletion | TaskContinuationOptions.HideScheduler,
        TaskContinuationOptions.ExecuteSynchronously | TaskContinuationOptions.HideScheduler | TaskContinuationOptions.RunContinuationsAsynchronously,
        p.MayBlock ? TaskContinuationOptions.LongRunning : TaskContinuationOptions.None);

    /// <summary>What a continuation follows; it may cancel that, which ends at once unless it is lazy.</summary>
    private static string Antecedent(TaskHost x, TaskProgram p, CancellationTokenSource source, Func<bool> isEnded)
    {
        string before = $"{x.Look()} {isEnded()}";
        if (p.Pick(3, true, false, false))
        {
            source.Cancel();
        }

        return p.Pick(4, 0, 0, 1, 2) switch
        {
            0 => $"{before} {isEnded()}",
            1 => throw new TaskStepException(p.Number),
            _ => throw new OperationCanceledException(),
        };
    }

    private static void Complete(TaskProgram p, TaskCompletionSource<string> source)
    {
        switch (p.Pick(6, 0, 0, 1, 2))
        {
            case 0:
                source.SetResult("set");
                break;
            case 1:
                source.SetException([new TaskStepException(p.Number), new TaskStepException(p.Number + 1)]);
                break;
            default:
                source.SetCanceled(new CancellationToken(canceled: true));
                break;
        }
    }

    private static async Task<string> Told(TaskHost x, string text)
    {
        string before = x.Look();
        await Task.Yield();
        return $"{text} {before} {x.Look()}";
    }

    private static string Outcomes(Task<object>[] tasks) => string.Join(", ", tasks.Select(static task => Outcome.Of(task)));
}
