using System.Runtime.CompilerServices;
using AdaptivePool.Internal;

namespace AdaptivePool;

/// <summary>An asynchronous function with a result as a work item.</summary>
internal sealed class AsyncFunctionItem<T>(WorkClass owner, Func<Task<T>> function, CancellationToken cancellationToken)
    : AsyncItem<RealSync>(owner, cancellationToken)
{
    private readonly TaskCompletionSource<T> _completion = new();

    public Task<T> Completion => _completion.Task;

    protected override PoolEnd End => Owner.Pool.End;

    protected override Task Call()
    {
        try
        {
            return function() ?? Task.FromException<T>(NoTask());
        }
        catch (Exception exception)
        {
            // As an async function would: a cancellation cancels, and keeps its exception.
            var builder = AsyncTaskMethodBuilder<T>.Create();
            builder.SetException(exception);
            return builder.Task;
        }
    }

    protected override void Complete(Task task) => _completion.TrySetFromTask((Task<T>)task);

    protected override void Cancel(CancellationToken cancellationToken) => _completion.TrySetCanceled(cancellationToken);

    protected override void Fail(Exception exception) => _completion.TrySetException(exception);
}
