using AdaptivePool.Workers;

namespace AdaptivePool;

/// <summary>
/// An asynchronous function as one work item: starts under the caller's execution context and the class's synchronization context, and ends a task as the
/// function's task has ended. AsyncActionItem and
/// AsyncFunctionItem hold that task.
/// </summary>
internal abstract class AsyncItem : IRefusableWorkItem
{
    private readonly WorkClass _owner;
    private readonly ExecutionContext? _context = ExecutionContext.Capture();
    private readonly CancellationToken _cancellationToken;
    private readonly CancellationTokenRegistration _registration;
    private int _started;

    protected AsyncItem(WorkClass owner, CancellationToken cancellationToken)
    {
        _owner = owner;
        _cancellationToken = cancellationToken;
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(static state => ((AsyncItem)state!).CancelUnlessStarted(), this);
        }
    }

    public void Execute()
    {
        // Pairs with CancelUnlessStarted: of a start and a cancellation exactly one wins.
        if (Interlocked.Exchange(ref _started, 1) != 0)
        {
            return;
        }

        _registration.Unregister();

        // Work in flight is run for the default class.
        Worker.CurrentOf(_owner.Pool.Set)?.Enter(_owner.SynchronizationContext, _owner);
        if (_context is null)
        {
            Start();
        }
        else
        {
            _owner.Pool.RunInFlow(_context, static state => ((AsyncItem)state!).Start(), this);
        }
    }

    public void Refuse(WorkRefusedException refusal)
    {
        // Pairs with CancelUnlessStarted, as a start does.
        if (Interlocked.Exchange(ref _started, 1) == 0)
        {
            _registration.Unregister();
            Fail(refusal);
        }
    }

    /// <summary>Calls the function.</summary>
    /// <returns>A task that ends as the function does, also where it throws at once.</returns>
    protected abstract Task Call();

    /// <summary>Ends the task that the caller has, as this one has ended: with the same exceptions, and for a cancellation the same token.</summary>
    protected abstract void Complete(Task task);

    /// <summary>Ends the task that the caller has.</summary>
    protected abstract void Cancel(CancellationToken cancellationToken);

    /// <summary>Ends the task that the caller has.</summary>
    protected abstract void Fail(Exception exception);

    protected static InvalidOperationException NoTask() => new("The asynchronous function returned null instead of a task.");

    private void CancelUnlessStarted()
    {
        if (Interlocked.Exchange(ref _started, 1) == 0)
        {
            Cancel(_cancellationToken);
        }
    }

    private void Start()
    {
        Task task = Call();
        if (task.IsCompleted)
        {
            Complete(task);
            return;
        }

        _owner.Pool.BeginOutstanding();
        _ = task.ContinueWith(
            static (done, state) =>
            {
                var item = (AsyncItem)state!;
                item.Complete(done);
                item._owner.Pool.EndOutstanding();
            },
            this,
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }
}
