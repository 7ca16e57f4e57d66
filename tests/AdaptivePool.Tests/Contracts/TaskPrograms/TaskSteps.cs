using System.Globalization;

namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>The ways in which users run tasks in tasks, a file for each field.</summary>
internal static partial class TaskSteps
{
    public static TaskStep[] All { get; } = [.. Waiting, .. Continuing, .. Parallels, .. Awaiting, .. Synchronizing, .. Layering];

    /// <summary>Those that never hold a thread: for schedulers that run one task at a time.</summary>
    public static TaskStep[] OneAtATime { get; } = [.. All.Where(static step => step is { Do: null, SeesNeighbours: false })];

    /// <summary>Those that do the same on a pool that is closed.</summary>
    public static TaskStep[] OfClosedPools { get; } = [.. All.Where(static step => !step.NeedsOpenPool)];

    private static TaskStep Doing(string name, Func<TaskHost, TaskProgram, string> step, int children = 1) => new(name, children) { Do = step };

    private static TaskStep Running(string name, Func<TaskHost, TaskProgram, Task<string>> step, int children = 1) => new(name, children) { Run = step };

    private static Task<object> Start(TaskHost host, TaskProgram program, Func<object> body, TaskCreationOptions options, CancellationToken token = default) =>
        Task.Factory.StartNew(body, token, options, host.SchedulerOf(program));

    private static Task<string> StartAsync(TaskHost host, TaskProgram program, Func<Task<string>> body, TaskCreationOptions options) =>
        Task.Factory.StartNew(body, CancellationToken.None, options, host.SchedulerOf(program)).Unwrap();

    /// <summary>Options that change where a task waits and what it sees, and nothing of what it gives.</summary>
    private static TaskCreationOptions Options(TaskProgram program) => program.Pick(
        31,
        TaskCreationOptions.None,
        TaskCreationOptions.PreferFairness,
        TaskCreationOptions.DenyChildAttach,
        TaskCreationOptions.HideScheduler,
        TaskCreationOptions.RunContinuationsAsynchronously,
        TaskCreationOptions.PreferFairness | TaskCreationOptions.HideScheduler,
        program.MayBlock ? TaskCreationOptions.LongRunning : TaskCreationOptions.None,
        program.MayBlock ? TaskCreationOptions.LongRunning | TaskCreationOptions.HideScheduler : TaskCreationOptions.HideScheduler);

    /// <summary>Waits for a task in one of the ways, and tells what the wait has thrown.</summary>
    private static string Wait(TaskProgram program, Task task)
    {
        try
        {
            switch (program.Pick(32, 0, 1, 2, program.MayBlock ? 3 : 0, program.MayBlock ? 4 : 1))
            {
                case 0:
                    task.Wait();
                    break;
                case 1:
                    Task.WaitAll(task);
                    break;
                case 2:
                    task.GetAwaiter().GetResult();
                    break;
                case 3:
                    // Runs nothing here.
                    using (var source = new CancellationTokenSource())
                    {
                        task.Wait(source.Token);
                    }

                    break;
                default:
                    Task.WaitAny(task);
                    break;
            }

            return "";
        }
        catch (Exception exception) when (exception is TaskStepException or OperationCanceledException or AggregateException)
        {
            return $"threw {exception.GetType().Name} {Outcome.Of(exception)} ";
        }
    }

    /// <summary>Waits for the task by an await that throws nothing.</summary>
    private static async Task<string> Ended(Task task, CancellationToken mine = default)
    {
        await task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        return Outcome.Of(task, mine);
    }

    /// <summary>Runs code in which another value flows, and another culture.</summary>
    private static async Task<string> Under(TaskHost host, TaskProgram program, Func<Task<string>> code)
    {
        host.Flow = $"flow {program.Number}";
        CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = $"{program.Number % 10}" } };
        return await code();
    }
}
