using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Contracts.TaskPrograms;

internal static partial class TaskSteps
{
    private static TaskStep[] Waiting =>
    [
        Doing("start", static (x, p) =>
        {
            Task<object> task = Start(x, p, () => $"{x.Look()} {p.Children[0].Do(x)}", Options(p));
            return $"{Wait(p, task)}{task.CreationOptions} {Outcome.Of(task)} {x.Look()}";
        }),
        Doing("start several", static (x, p) =>
        {
            Task<object>[] all = [.. p.Children.Select(child => Start(x, child, () => child.Do(x), Options(child)))];
            return string.Join(", ", all.Reverse().Select(task => $"{Wait(p, task)}{Outcome.Of(task)}"));
        }, children: 3),
        Doing("wait for all", static (x, p) =>
        {
            Task<object>[] all = [.. p.Children.Select(child => Start(x, child, () => child.Do(x), Options(child)))];
            string thrown = "";
            try
            {
                Task.WaitAll(all);
            }
            catch (AggregateException exception)
            {
                thrown = Outcome.Of(exception);
            }

            return $"{thrown} {string.Join(", ", all.Select(static task => Outcome.Of(task)))}";
        }, children: 3),
        Doing("created", static (x, p) =>
        {
            var task = new Task<object>(() => $"{x.Look()} {p.Children[0].Do(x)}", Options(p) & ~TaskCreationOptions.LongRunning);
            string before = $"{task.Status}";
            if (p.Pick(1, true, false))
            {
                task.RunSynchronously(x.SchedulerOf(p));
            }
            else
            {
                task.Start(x.SchedulerOf(p));
            }

            string again = Thrown(task.Start);
            return $"{before} {again} {Wait(p, task)}{Outcome.Of(task)}";
        }),
        Doing("value of another flow", static (x, p) =>
        {
            string? before = x.Flow;
            x.Flow = $"flow {p.Number}";
            Task<object> task = Start(
                x,
                p,
                () =>
                {
                    string seen = x.Look();
                    x.Flow = "changed inside";
                    return $"{seen} {p.Children[0].Do(x)} {x.Look()}";
                },
                Options(p));
            string waited = Wait(p, task);
            string after = x.Look();
            x.Flow = before;
            return $"{waited}{Outcome.Of(task)} {after}";
        }),
        Doing("attached children", static (x, p) =>
        {
            Task[] children = [];
            Task<object> parent = Start(x, p, () => Attach(x, p, out children), ParentOptions(p));
            string waited = Wait(p, parent);
            ExpectAllEnded(x, p, children);
            return $"{waited}{Outcome.Of(parent)} of {string.Join(", ", children.Select(static child => $"{Wait(child)}{Outcome.Of(child)}"))}";
        }, children: 3) with { Blocks = true },
        Doing("cancelled before the start", static (x, p) =>
        {
            var token = new CancellationToken(canceled: true);
            Task<object> task = Start(x, p, () => throw new InvalidOperationException("It was cancelled."), Options(p), token);
            return $"{Wait(p, task)}{Outcome.Of(task, token)} {p.Children[0].Do(x)}";
        }) with { MayNotAwait = true },
        Doing("cancelled by itself", static (x, p) =>
        {
            using var source = new CancellationTokenSource();
            using var another = new CancellationTokenSource();
            Task<object> task = Start(
                x,
                p,
                () =>
                {
                    string seen = p.Children[0].Do(x);
                    CancellationTokenSource cancelled = p.Pick(1, source, source, another);
                    cancelled.Cancel();
                    return p.Pick(2, true, true, false) ? throw new OperationCanceledException(seen, cancelled.Token) : seen;
                },
                Options(p),
                source.Token);
            return $"{Wait(p, task)}{Outcome.Of(task, source.Token)}";
        }),
        Doing("blocking scope", static (x, p) =>
        {
            BlockingScope scope = BlockingScope.Enter("program");
            string seen = p.Children[0].Try(x);
            if (p.Pick(1, true, true, false))
            {
                scope.Dispose();
            }

            return seen;
        }) with { MayNotAwait = true },
        Doing("pass", static (x, p) =>
        {
            using TransactionPass pass = x.Gate is { } gate ? gate.AttemptPass() : default;
            x.Expect(x.Gate is null || pass.IsAcquired, "a gate with room let nobody in");
            return p.Children[0].Try(x);
        }) with { MayNotAwait = true },
        Doing("ambient scheduler", static (x, p) =>
        {
            Task<object> task = Task.Factory.StartNew(() => (object)$"{x.Look()} {p.Children[0].Do(x)}");

            // An exclusive scheduler runs it in the wait, or never.
            return $"{Wait(task)}{Outcome.Of(task)}";
        }) with { Blocks = true, MayNotAwait = true },
        Doing("sent", static (x, p) =>
        {
            string seen = "";
            x.Context.Send(_ => seen = p.Children[0].Try(x), null);
            return seen;
        }) with { Blocks = true, MayNotAwait = true, NeedsOpenPool = true },
        Doing("run and wait", static (x, p) =>
        {
            Task<string> task = x.Run(p, () => $"{x.Look()} {p.Children[0].Do(x)}");
            return $"{Wait(p, task)}{Outcome.Of(task)} {x.Look()}";
        }) with { NeedsOpenPool = true },
    ];

    private static TaskCreationOptions ParentOptions(TaskProgram p) =>
        p.Pick(3, TaskCreationOptions.None, TaskCreationOptions.PreferFairness, TaskCreationOptions.DenyChildAttach);

    /// <summary>Starts children of the task that runs here: tasks, or continuations.</summary>
    private static object Attach(TaskHost x, TaskProgram p, out Task[] children)
    {
        children = [.. p.Children.Select(child =>
        {
            Func<object> body = () => child.Do(x);
            return child.Pick(1, 0, 1, 2) switch
            {
                0 => Task.CompletedTask.ContinueWith(
                    _ => body(), CancellationToken.None, TaskContinuationOptions.AttachedToParent, x.SchedulerOf(child)),
                1 => Task.CompletedTask.ContinueWith(
                    _ => body(),
                    CancellationToken.None,
                    TaskContinuationOptions.AttachedToParent | TaskContinuationOptions.ExecuteSynchronously | TaskContinuationOptions.HideScheduler,
                    x.SchedulerOf(child)),
                _ => Start(x, child, body, TaskCreationOptions.AttachedToParent | Options(child)),
            };
        })];
        return p.Pick(2, true, false, false) ? throw new TaskStepException(p.Number) : x.Look();
    }

    private static void ExpectAllEnded(TaskHost x, TaskProgram p, Task[] children) => x.Expect(
        ParentOptions(p) == TaskCreationOptions.DenyChildAttach || children.All(static child => child.IsCompleted), "a parent ended before its children");

    private static string Wait(Task child)
    {
        try
        {
            child.Wait();
            return "";
        }
        catch (AggregateException exception)
        {
            return Outcome.Of(exception);
        }
    }

    private static string Thrown(Action action)
    {
        try
        {
            action();
            return "nothing";
        }
        catch (InvalidOperationException)
        {
            return "refused";
        }
    }
}
