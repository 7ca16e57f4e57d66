using AdaptivePool.Dispatch.Items;

namespace AdaptivePool;

/// <summary>
/// Runs items of a work class one at a time, in the order in which they were started, without a thread of its own. Get a view from
/// <see cref="WorkClass.AsSequential"/>. Each view is a separate sequence. An unused view costs only its memory.
/// </summary>
/// <remarks>
/// <para>
/// An asynchronous function gives up its turn at an await that does not complete at once. Other items run in the meantime, and the code after the await waits
/// for its turn in this view. For code that must not be interleaved at awaits, use a <see cref="SemaphoreSlim"/> as well.
/// </para>
/// <para>
/// Items of a view have no synchronization context, so that their awaits return to the view. Therefore the monitor detects a wait inside an item, and the wait
/// hook does not detect it at once. An item that waits for a later item of its own view never ends, as with any lock. Up to 16 items in a row are one item of
/// their worker, so a <see cref="BlockingScope"/> that one of them leaves open ends with the last of them at the latest.
/// </para>
/// </remarks>
public sealed class SequentialView
{
    /// <summary>Number of items in a row before other work of the class has its turn, as in LimitedDispatcher of kotlinx.coroutines.</summary>
    private const int InARow = 16;

    /// <summary>Code that Run starts lets no child attach, as with Task.Run.</summary>
    private const TaskCreationOptions AsTaskRun = TaskCreationOptions.DenyChildAttach;

    // The pool counts the function as under way until it has ended, as with Run of the class: while the function is at an await, no task of the view waits.
    private static readonly Action<object?> s_execute = static item => ((IThreadPoolWorkItem)item!).Execute();
    private readonly WorkClass _owner;

    internal SequentialView(WorkClass owner)
    {
        _owner = owner;
        Scheduler = new ConcurrentExclusiveSchedulerPair(owner.Scheduler, maxConcurrencyLevel: 1, InARow).ExclusiveScheduler;
        Factory = new TaskFactory(Scheduler);
    }

    /// <summary>A scheduler whose tasks run one at a time, for libraries that take a target scheduler.</summary>
    public TaskScheduler Scheduler { get; }

    /// <summary>A task factory whose tasks run one at a time.</summary>
    public TaskFactory Factory { get; }

    /// <summary>Runs an action after all items that were started here before.</summary>
    /// <param name="action">The action to run.</param>
    /// <param name="cancellationToken">A token that cancels the action if it has not started; the items behind it move up.</param>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed, and the caller is not on a worker of it.</exception>
    public Task Run(Action action, CancellationToken cancellationToken = default) =>
        FactoryFor(action).StartNew(action, cancellationToken, AsTaskRun, Scheduler);

    /// <summary>Runs a function after all items that were started here before.</summary>
    /// <inheritdoc cref="Run(Action, CancellationToken)"/>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the function if it has not started; the items behind it move up.</param>
    public Task<T> Run<T>(Func<T> function, CancellationToken cancellationToken = default) =>
        FactoryFor(function).StartNew(function, cancellationToken, AsTaskRun, Scheduler);

    /// <summary>
    /// Starts an asynchronous function after all items that were started here before. It gives up its turn at its awaits. The code after them runs in this
    /// view, too.
    /// </summary>
    /// <inheritdoc cref="Run(Action, CancellationToken)"/>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the function if it has not started; the items behind it move up.</param>
    [OverloadResolutionPriority(1)]
    public Task Run(Func<Task> function, CancellationToken cancellationToken = default)
    {
        TaskFactory factory = FactoryFor(function);
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        var item = new AsyncActionItem(_owner, function, cancellationToken, FunctionSurroundings.Task);
        _ = factory.StartNew(s_execute, item, CancellationToken.None, AsTaskRun, Scheduler);
        return item.Task;
    }

    /// <inheritdoc cref="Run(Func{Task}, CancellationToken)"/>
    [OverloadResolutionPriority(1)]
    public Task<T> Run<T>(Func<Task<T>> function, CancellationToken cancellationToken = default)
    {
        TaskFactory factory = FactoryFor(function);
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<T>(cancellationToken);
        }

        var item = new AsyncFunctionItem<T>(_owner, function, cancellationToken, FunctionSurroundings.Task);
        _ = factory.StartNew(s_execute, item, CancellationToken.None, AsTaskRun, Scheduler);
        return item.Task;
    }

    /// <inheritdoc cref="Run(Func{Task}, CancellationToken)"/>
    public Task Run(Func<ValueTask> function, CancellationToken cancellationToken = default) =>
        Run(function.AsFunction(), cancellationToken);

    /// <inheritdoc cref="Run(Func{Task}, CancellationToken)"/>
    public Task<T> Run<T>(Func<ValueTask<T>> function, CancellationToken cancellationToken = default) =>
        Run(function.AsFunction(), cancellationToken);

    /// <summary>Returns the factory if the caller may start an item.</summary>
    private TaskFactory FactoryFor(Delegate function, [CallerArgumentExpression(nameof(function))] string? name = null)
    {
        ArgumentNullException.ThrowIfNull(function, name);
        Intake.ThrowIfRefused(_owner);
        return Factory;
    }
}
