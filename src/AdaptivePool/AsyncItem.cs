using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool;

/// <summary>
/// An asynchronous function as one work item: starts under the caller's execution context and the class's synchronization context, and ends a task as the
/// function's task has ended. AsyncActionItem and AsyncFunctionItem hold that task.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal abstract class AsyncItem<TSync> : IRefusableWorkItem
    where TSync : struct, ISync
{
    private readonly ExecutionContext? _context = ExecutionContext.Capture();
    private readonly CancellationToken _cancellationToken;
    private readonly CancellationTokenRegistration _registration;
    private int _isDecided;
    private Task? _running;

    protected AsyncItem(WorkClass owner, CancellationToken cancellationToken)
    {
        Owner = owner;
        _cancellationToken = cancellationToken;
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(static state => ((AsyncItem<TSync>)state!).CancelUnlessStarted(), this);
        }
    }

    public void Execute()
    {
        if (!TryDecide())
        {
            return;
        }

        _registration.Unregister();

        // Work in flight is run for the default class.
        Worker.CurrentOf(Owner.Pool.Set)?.Enter(Owner.SynchronizationContext, Owner);
        if (_context is null)
        {
            _running = Call();
        }
        else
        {
            Owner.Pool.RunInFlow(_context, static state => ((AsyncItem<TSync>)state!).CallInFlow(), this);
        }

        Follow(_running!);
    }

    public void Refuse(WorkRefusedException refusal)
    {
        if (TryDecide())
        {
            _registration.Unregister();
            Fail(refusal);
        }
    }

    /// <summary>The class that the function runs in.</summary>
    protected WorkClass Owner { get; }

    /// <summary>The end that waits for what the function awaits.</summary>
    protected abstract PoolEnd<TSync> End { get; }

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

    // Pairs with itself: of start, refusal and cancellation exactly one has the item. Only its atomicity counts: queue and token publish what the item is.
    private bool TryDecide() => TSync.RelaxedCompareExchange(ref _isDecided, 1, 0) == 0;

    private void CancelUnlessStarted()
    {
        if (TryDecide())
        {
            Cancel(_cancellationToken);
        }
    }

    private void CallInFlow() => _running = Call();

    // Outside the function's flow: where there is one, a continuation would capture it, at 64 bytes, and its end needs none.
    private void Follow(Task task)
    {
        if (task.IsCompleted)
        {
            Complete(task);
            return;
        }

        End.BeginOutstanding();
        _ = task.ContinueWith(
            static (done, state) =>
            {
                var item = (AsyncItem<TSync>)state!;
                item.Complete(done);
                item.End.EndOutstanding();
            },
            this,
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }
}
