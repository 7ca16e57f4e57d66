namespace AdaptivePool;

/// <summary>An asynchronous function as one work item: starts under the caller's execution context and the class's synchronization context, and completes a task when the function's task has.</summary>
internal sealed class AsyncItem<T> : IThreadPoolWorkItem
{
    private readonly TaskCompletionSource<T> _completion = new();
    private readonly AdaptiveThreadPool _pool;
    private readonly Func<Task> _function;
    private readonly ExecutionContext? _context = ExecutionContext.Capture();
    private readonly CancellationToken _cancellationToken;
    private readonly CancellationTokenRegistration _registration;
    private int _started;

    public AsyncItem(AdaptiveThreadPool pool, Func<Task> function, CancellationToken cancellationToken)
    {
        _pool = pool;
        _function = function;
        _cancellationToken = cancellationToken;
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(static state => ((AsyncItem<T>)state!).CancelUnlessStarted(), this);
        }
    }

    public Task<T> Completion => _completion.Task;

    public void Execute()
    {
        // Pairs with CancelUnlessStarted: of a start and a cancellation exactly one wins.
        if (Interlocked.Exchange(ref _started, 1) != 0)
        {
            return;
        }

        _registration.Unregister();
        if (_context is null)
        {
            Start();
        }
        else
        {
            ExecutionContext.Run(_context, static state => ((AsyncItem<T>)state!).Start(), this);
        }
    }

    private void CancelUnlessStarted()
    {
        if (Interlocked.Exchange(ref _started, 1) == 0)
        {
            _completion.TrySetCanceled(_cancellationToken);
        }
    }

    private void Start()
    {
        Task? task;
        try
        {
            task = _function();
        }
        catch (OperationCanceledException exception) when (exception.CancellationToken == _cancellationToken)
        {
            _completion.TrySetCanceled(_cancellationToken);
            return;
        }
        catch (Exception exception)
        {
            _completion.TrySetException(exception);
            return;
        }

        if (task is null)
        {
            _completion.TrySetException(new InvalidOperationException("The asynchronous function returned null instead of a task."));
        }
        else if (task.IsCompleted)
        {
            Complete(task);
        }
        else
        {
            _pool.AddOutstanding(1);
            _ = task.ContinueWith(
                static (done, state) =>
                {
                    var item = (AsyncItem<T>)state!;
                    item.Complete(done);
                    item._pool.AddOutstanding(-1);
                },
                this,
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        }
    }

    private void Complete(Task task)
    {
        if (task.IsFaulted)
        {
            _completion.TrySetException(task.Exception!.InnerExceptions);
        }
        else if (task.IsCanceled)
        {
            _completion.TrySetCanceled(_cancellationToken.IsCancellationRequested ? _cancellationToken : new CancellationToken(canceled: true));
        }
        else
        {
            _completion.TrySetResult(task is Task<T> withResult ? withResult.Result : default!);
        }
    }
}
