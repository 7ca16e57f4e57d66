using System.Runtime.CompilerServices;
using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch.Items;

/// <summary>
/// An asynchronous function as one work item: starts under the caller's execution context and the class's synchronization context, and ends a task as the
/// function's task has ended. A part of AsyncFunctionItem, which is the source of that task itself: one object less for each call. Here is what need not be
/// compiled for each type of result.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="owner">The class that the function runs in.</param>
/// <param name="function">The function.</param>
internal struct AsyncItem<TSync>(WorkClass owner, Func<Task> function)
    where TSync : struct, ISync
{
    private static readonly object s_noFlow = new();

    // What the function starts under, until one of start, refusal and cancellation has the item.
    private object? _flow = ExecutionContext.Capture() ?? s_noFlow;

    // In a box: most calls come with a token that is never cancelled, and each word counts where thousands of functions are under way.
    private object? _registration;

    // The function, and once it is called its task.
    private object _work = function;

    /// <summary>The class that the function runs in.</summary>
    public readonly WorkClass Owner => owner;

    /// <summary>Ends the item when its caller's token is cancelled before it starts. Once, when all else of the item is there.</summary>
    public void EndWith(CancellationToken cancellationToken, IAsyncItem<TSync> item)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(
                static (state, token) =>
                {
                    var item = (IAsyncItem<TSync>)state!;
                    if (item.Common.TryTake() is not null)
                    {
                        item.Cancel(token);
                    }
                },
                item);
        }
    }

    public void Execute(IAsyncItem<TSync> item)
    {
        if (TryTake() is not { } flow)
        {
            return;
        }

        Unregister();

        // Work in flight is run for the default class.
        Worker.CurrentOf(owner.Pool.Set)?.Enter(owner.SynchronizationContext, owner);
        if (flow is ExecutionContext context)
        {
            owner.Pool.RunInFlow(context, static state => Call((IAsyncItem<TSync>)state!), item);
        }
        else
        {
            Call(item);
        }

        Follow(item, Unsafe.As<Task>(_work));
    }

    public void Refuse(WorkRefusedException refusal, IAsyncItem<TSync> item)
    {
        if (TryTake() is not null)
        {
            Unregister();
            item.Complete(item.Failed(refusal));
        }
    }

    private static void Call(IAsyncItem<TSync> item)
    {
        ref object work = ref item.Common._work;
        try
        {
            work = Unsafe.As<Func<Task>>(work)() ?? throw new InvalidOperationException("The asynchronous function returned null instead of a task.");
        }
        catch (Exception exception)
        {
            work = item.Failed(exception);
        }
    }

    // Outside the function's flow: where there is one, a continuation would capture it, at 64 bytes, and its end needs none.
    private static void Follow(IAsyncItem<TSync> item, Task task)
    {
        if (task.IsCompleted)
        {
            item.Complete(task);
            return;
        }

        item.End.BeginOutstanding();
        _ = task.ContinueWith(
            static (ended, state) =>
            {
                var item = (IAsyncItem<TSync>)state!;
                item.Complete(ended);
                item.End.EndOutstanding();
            },
            item,
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    // Pairs with itself: of start, refusal and cancellation exactly one has the item. Only its atomicity counts: queue and token publish what the item is.
    private object? TryTake() =>
        TSync.RelaxedRead(ref _flow) is { } flow && TSync.RelaxedCompareExchange(ref _flow, null, flow) == flow ? flow : null;

    private readonly void Unregister()
    {
        if (_registration is CancellationTokenRegistration registration)
        {
            registration.Unregister();
        }
    }
}
