using System.Collections.Concurrent;
using System.Globalization;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>What runs programs of tasks: a scheduler of ours or, as the control, one of the runtime's. And what the programs of one test share.</summary>
internal sealed class TaskHost
{
    private readonly AsyncLocal<string?> _flow = new();
    private readonly ConcurrentDictionary<TaskProgram, string> _open = new();

    /// <summary>The scheduler that is tested.</summary>
    public required TaskScheduler Own { get; init; }

    /// <summary>A second one of the same kind.</summary>
    public required TaskScheduler Other { get; init; }

    /// <summary>A context whose callbacks run where the host's work belongs.</summary>
    public required SynchronizationContext Context { get; init; }

    /// <summary>The class whose work it is; <see langword="null"/> for the control.</summary>
    public WorkClass? Target { get; init; }

    /// <summary>A gate that some steps go through; the control has none.</summary>
    public TransactionGate? Gate { get; init; }

    /// <summary>What was seen that must never be.</summary>
    public ConcurrentBag<string> Faults { get; } = [];

    /// <summary>What flows with the code that runs.</summary>
    public string? Flow
    {
        get => _flow.Value;
        set => _flow.Value = value;
    }

    /// <summary>One of the two schedulers.</summary>
    public TaskScheduler SchedulerOf(TaskProgram program) => program.Pick(77, Own, Own, Other);

    /// <summary>What the code that runs sees of its surroundings.</summary>
    public string Look()
    {
        TaskScheduler current = TaskScheduler.Current;
        Thread thread = Thread.CurrentThread;
        bool isOwn = current == Own || current == Other;
        bool isElsewhere = thread.IsThreadPoolThread && Target is { Pool.IsClosed: false };
        Expect(!isOwn || !isElsewhere, "a task left its pool");
        Expect(thread.IsBackground && thread.Priority != ThreadPriority.BelowNormal, "a thread is not as new");
        string separator = CultureInfo.CurrentCulture.NumberFormat.NumberDecimalSeparator;
        return $"{NameOf(current)}{(Flow is { } flow ? $" {flow}" : "")}{(separator == "." ? "" : $" {separator}")}"
            + (ExecutionContext.IsFlowSuppressed() ? " suppressed" : "");
    }

    /// <summary>Runs an asynchronous function, as <c>Task.Run</c> does.</summary>
    public Task<string> Run(TaskProgram program, Func<Task<string>> function, CancellationToken token = default) => Target is null ? Task.Run(function, token)
        : program.Pick(71, 0, 1, 2, 3, 4) switch
        {
            0 => Target.RunFor($"tenant {program.Pick(72, 1, 2, 3)}", function, token),
            1 => Target.RunRouted(program.Pick(72, 1, 2, 3), function, token),
            2 => Target.Pool.GetClass("third").Run(function, WorkPriority.Normal, token),
            3 => Target.Run(ValueTask<string> () => new(function()), WorkPriority.Low, token),
            _ => Target.Run(function, program.Pick(72, WorkPriority.High, WorkPriority.Normal), token),
        };

    /// <summary>Runs a function, as <c>Task.Run</c> does.</summary>
    public Task<string> Run(TaskProgram program, Func<string> function, CancellationToken token = default) => Target is null ? Task.Run(function, token)
        : program.Pick(71, 0, 1, 2, 3) switch
        {
            0 => Target.RunFor($"tenant {program.Pick(72, 1, 2, 3)}", function, token),
            1 => Target.RunRouted(program.Pick(72, 1, 2, 3), function, token),
            2 => Target.Pool.GetClass("third").Run(function, WorkPriority.Normal, token),
            _ => Target.Run(function, program.Pick(72, WorkPriority.High, WorkPriority.Normal, WorkPriority.Low), token),
        };

    /// <summary>A way to run functions one at a time and in order: a view, or a pair in its place.</summary>
    public Func<Func<Task<string>>, Task<string>> NewSequence()
    {
        if (Target is not null)
        {
            SequentialView view = Target.AsSequential();
            return function => view.Run(function);
        }

        TaskScheduler exclusive = new ConcurrentExclusiveSchedulerPair(Own).ExclusiveScheduler;
        return function => Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.DenyChildAttach, exclusive).Unwrap();
    }

    /// <summary>Queues a callback, as <c>ThreadPool.QueueUserWorkItem</c> does.</summary>
    public void Queue(TaskProgram program, Action callback)
    {
        bool preferLocal = program.Pick(73, true, false);
        if (Target is null)
        {
            ThreadPool.QueueUserWorkItem(static callback => callback(), callback, preferLocal);
        }
        else
        {
            Target.QueueUserWorkItem(static callback => callback(), callback, preferLocal);
        }
    }

    public void Expect(bool isSo, string fault)
    {
        if (!isSo)
        {
            Faults.Add($"{fault}: thread '{Thread.CurrentThread.Name}', {TaskScheduler.Current}");
        }
    }

    public void Begin(TaskProgram program) => _open[program] = program.Step?.Name ?? "leaf";

    public void End(TaskProgram program) => _open.TryRemove(program, out _);

    /// <summary>What has begun and not ended.</summary>
    public override string ToString() => $"open: {string.Join(", ", _open.Select(static it => $"{it.Value}/{it.Key.Number}"))}; "
        + (Target?.Pool.GetSnapshot() is { } now ? $"{now}, classes: {string.Join("; ", now.Classes)}" : "the control");

    private string NameOf(TaskScheduler scheduler) =>
        scheduler == Own ? "@own" : scheduler == Other ? "@other" : scheduler == TaskScheduler.Default ? "@default" : "@layered";
}
