using System.Runtime.CompilerServices;

namespace AdaptivePool;

/// <summary>
/// Runs items of a work class one at a time, in the order in which they were started, without a thread of its own. Get one from
/// <see cref="WorkClass.AsSequential"/>. Each view is a sequence of its own; a view that is not used costs nothing but its memory.
/// </summary>
/// <remarks>
/// <para>
/// An asynchronous function gives up its turn at an await that does not complete at once: others run meanwhile, and what follows the await waits for its turn
/// here. What must not be interleaved at awaits needs a <see cref="SemaphoreSlim"/> besides.
/// </para>
/// <para>
/// Items of a view have no synchronization context, so that their awaits come back to it: a wait inside one is noticed by the monitor and not at once by the
/// wait hook. An item that waits for a later one of its own view never ends, as with any lock.
/// </para>
/// </remarks>
public sealed class SequentialView
{
    /// <summary>Items in a row before other work of the class has its turn: so many as in LimitedDispatcher of kotlinx.coroutines.</summary>
    private const int InARow = 16;

    /// <summary>What runs by Run lets no child attach, as by Task.Run.</summary>
    private const TaskCreationOptions AsTaskRun = TaskCreationOptions.DenyChildAttach;

    private readonly WorkClass _owner;

    internal SequentialView(WorkClass owner)
    {
        _owner = owner;
        Scheduler = new ConcurrentExclusiveSchedulerPair(owner.Scheduler, maxConcurrencyLevel: 1, InARow).ExclusiveScheduler;
        Factory = new TaskFactory(Scheduler);
    }

    /// <summary>Scheduler whose tasks run one at a time; for libraries that take a target scheduler.</summary>
    public TaskScheduler Scheduler { get; }

    /// <summary>Factory whose tasks run one at a time.</summary>
    public TaskFactory Factory { get; }

    /// <summary>Runs an action after all that was started here before.</summary>
    /// <param name="action">What to run.</param>
    /// <param name="cancellationToken">Cancels the action as long as it has not started; those behind it move up.</param>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed, and the caller is none of its items.</exception>
    public Task Run(Action action, CancellationToken cancellationToken = default) =>
        FactoryFor(action).StartNew(action, cancellationToken, AsTaskRun, Scheduler);

    /// <summary>Runs a function after all that was started here before.</summary>
    /// <inheritdoc cref="Run(Action, CancellationToken)"/>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the function as long as it has not started; those behind it move up.</param>
    public Task<T> Run<T>(Func<T> function, CancellationToken cancellationToken = default) =>
        FactoryFor(function).StartNew(function, cancellationToken, AsTaskRun, Scheduler);

    /// <summary>
    /// Begins an asynchronous function after all that was started here before. It gives up its turn at its awaits; what follows them runs here, too.
    /// </summary>
    /// <inheritdoc cref="Run(Action, CancellationToken)"/>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the function as long as it has not started; those behind it move up.</param>
    [OverloadResolutionPriority(1)]
    public Task Run(Func<Task> function, CancellationToken cancellationToken = default) =>
        FactoryFor(function).StartNew(function, cancellationToken, AsTaskRun, Scheduler).Unwrap();

    /// <inheritdoc cref="Run(Func{Task}, CancellationToken)"/>
    [OverloadResolutionPriority(1)]
    public Task<T> Run<T>(Func<Task<T>> function, CancellationToken cancellationToken = default) =>
        FactoryFor(function).StartNew(function, cancellationToken, AsTaskRun, Scheduler).Unwrap();

    /// <inheritdoc cref="Run(Func{Task}, CancellationToken)"/>
    public Task Run(Func<ValueTask> function, CancellationToken cancellationToken = default) =>
        Run(WorkClass.AsFunction(function), cancellationToken);

    /// <inheritdoc cref="Run(Func{Task}, CancellationToken)"/>
    public Task<T> Run<T>(Func<ValueTask<T>> function, CancellationToken cancellationToken = default) =>
        Run(WorkClass.AsFunction(function), cancellationToken);

    /// <summary>The factory, for who may start something.</summary>
    private TaskFactory FactoryFor(Delegate function, [CallerArgumentExpression(nameof(function))] string? name = null)
    {
        ArgumentNullException.ThrowIfNull(function, name);
        Intake.ThrowIfRefused(_owner);
        return Factory;
    }
}
