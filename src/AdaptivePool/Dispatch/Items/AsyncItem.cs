namespace AdaptivePool.Dispatch.Items;

/// <summary>
/// An asynchronous function as one work item. It starts under the caller's execution context and the class's synchronization context, and ends a task as the
/// function's task has ended. A part of AsyncActionItem and AsyncFunctionItem, which are the source of that task themselves: one object less for each call.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="owner">The class that the function runs in.</param>
/// <param name="surroundings">What its awaits come back to.</param>
internal struct AsyncItem<TSync>(WorkClass owner, FunctionSurroundings surroundings = FunctionSurroundings.Class)
    where TSync : struct, ISync
{
    private static readonly ContextCallback s_call = static item => ((IAsyncItem<TSync>)item!).Call();
    private static readonly ContextCallback s_callInTask = static item => ((IAsyncItem<TSync>)item!).Common.Owner.Scheduler.WithoutSynchronizationContext
        .RunHere(static item => ((IAsyncItem<TSync>)item!).Call(), item);

    // Bytes: more than the holder of an exception and its list take.
    private const int RoomForException = 1_024;

    private static readonly Action<Task, object?> s_end = static (_, state) =>
    {
        var item = (IAsyncItem<TSync>)state!;
        try
        {
            End(item);
        }
        finally
        {
            item.End.EndOutstanding();
        }
    };

    // Made before there is any item: code that runs until there is memory must need none to begin.
    private static readonly Action<IAsyncItem<TSync>> s_follow = static item =>
    {
        _ = item.Running.ContinueWith(s_end, item, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    };

    private static readonly Action<IAsyncItem<TSync>> s_makeRoom = static _ => GC.KeepAlive(new byte[RoomForException]);

    private ExecutionContext? _context = ExecutionContext.Capture();

    // In a box: most calls come with a token that is never cancelled, and each word counts where thousands of functions are under way.
    private object? _registration;
    private int _isDecided;

    /// <summary>The class that the function runs in.</summary>
    public readonly WorkClass Owner => owner;

    /// <summary>Whether the item has begun or ended. When its turn comes, this means that it was cancelled. A hint while other threads decide.</summary>
    public bool IsDecided => TSync.RelaxedRead(ref _isDecided) != 0;

    /// <summary>Calls a function. It has a result of that type, or no result.</summary>
    /// <returns>Its task. Where the function threw at once, a faulted task with a result of that type.</returns>
    public static Task Call<T>(Func<Task> function)
    {
        try
        {
            return function() ?? throw new InvalidOperationException("The asynchronous function returned null instead of a task.");
        }
        catch (Exception exception)
        {
            return Faulted<T>(exception);
        }
    }

    // The exception of the function, as the task that it did not return.
    private static Task<T> Faulted<T>(Exception exception)
    {
        while (true)
        {
            try
            {
                // As an async function does: a cancellation cancels the task, which keeps the exception.
                var builder = AsyncTaskMethodBuilder<T>.Create();
                builder.SetException(exception);
                return builder.Task;
            }
            catch (OutOfMemoryException)
            {
                // The function may have thrown because there is no memory. The task of its caller ends as soon as there is some.
                TSync.Yield();
            }
        }
    }

    /// <summary>Ends the item when its caller's token is cancelled before it starts. Called once, when all else of the item is there.</summary>
    public void EndWith(CancellationToken cancellationToken, IAsyncItem<TSync> item)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(
                static (state, token) =>
                {
                    var item = (IAsyncItem<TSync>)state!;
                    if (item.Common.TryDecide())
                    {
                        // The item stays in its queue until its turn, and keeps nothing of its caller's meanwhile.
                        item.Common._context = null;
                        item.Cancel(token);
                    }
                },
                item);
        }
    }

    public void Execute(IAsyncItem<TSync> item)
    {
        if (!TryDecide())
        {
            return;
        }

        Unregister();

        if (surroundings == FunctionSurroundings.Class)
        {
            // The worker runs work in flight under the default class.
            Worker.CurrentOf(owner.Pool.Set)?.Enter(owner.SynchronizationContext, owner);
        }
        else if (surroundings == FunctionSurroundings.Scheduler)
        {
            owner.Enter(isOfScheduler: true);
        }

        ContextCallback call = surroundings == FunctionSurroundings.Scheduler ? s_callInTask : s_call;

        // The pool also waits for this function where its caller has suppressed the flow: the mark is then in the thread's own context.
        if ((_context ?? ExecutionContext.Capture()) is { } context)
        {
            owner.Pool.RunInFlow(context, call, item);
        }
        else
        {
            call(item);
        }

        Follow(item);
    }

    public void Refuse(WorkRefusedException refusal, IAsyncItem<TSync> item)
    {
        if (TryDecide())
        {
            Unregister();
            item.Fail(refusal);
        }
    }

    // Outside the function's flow: a continuation would capture that flow, at 64 bytes, and the end of the function needs none.
    private static void Follow(IAsyncItem<TSync> item)
    {
        if (item.Running.IsCompleted)
        {
            Complete(item);
            return;
        }

        // The function is under way, and no other code would see its end.
        item.End.BeginOutstanding();
        UntilThereIsMemory(s_follow, item);
    }

    // Code that awaits the function must not run inside its end: the pool counts the function as under way until the end returns, and that code may wait for
    // the end of the pool. On a worker the pool knows of that wait, and of the wait of a continuation that runs here all the same.
    private static void End(IAsyncItem<TSync> item)
    {
        WorkerSet set = item.Common.Owner.Pool.Set;
        if (Worker.CurrentOf(set) is not null)
        {
            Complete(item);
            return;
        }

        using WorkerSet.Entered entered = set.EnterThread();
        using var under = new UnderContext(EndingContext.Instance);
        Complete(item);
    }

    private static void Complete(IAsyncItem<TSync> item)
    {
        // An exception of the function takes memory once more in the task of its caller, in a place that must not fail: otherwise that task would never end.
        if (!item.Running.IsCompletedSuccessfully)
        {
            UntilThereIsMemory(s_makeRoom, item);
        }

        item.Complete();
    }

    // The calling thread waits for the memory.
    private static void UntilThereIsMemory(Action<IAsyncItem<TSync>> step, IAsyncItem<TSync> item)
    {
        while (true)
        {
            try
            {
                step(item);
                return;
            }
            catch (OutOfMemoryException)
            {
                TSync.Yield();
            }
        }
    }

    // Pairs with itself: of start, refusal and cancellation exactly one has the item. Only its atomicity counts: queue and token publish the content of the
    // item.
    private bool TryDecide() => TSync.RelaxedCompareExchange(ref _isDecided, 1, 0) == 0;

    private readonly void Unregister()
    {
        if (_registration is CancellationTokenRegistration registration)
        {
            RealSync.Unregister(registration);
        }
    }
}
