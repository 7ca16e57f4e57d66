using System.Runtime.CompilerServices;
using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch.Items;

/// <summary>An asynchronous function as a work item, and the source of the task that its caller has.</summary>
/// <typeparam name="T">Type of the result; <see cref="NoResult"/> of a function without one.</typeparam>
internal sealed class AsyncFunctionItem<T> : TaskCompletionSource<T>, IAsyncItem<RealSync>
{
    private AsyncItem<RealSync> _common;

    public AsyncFunctionItem(WorkClass owner, Func<Task> function, CancellationToken cancellationToken)
    {
        _common = new AsyncItem<RealSync>(owner, function);
        _common.EndWith(cancellationToken, this);
    }

    public ref AsyncItem<RealSync> Common => ref _common;

    public PoolEnd<RealSync> End => _common.Owner.Pool.End;

    public void Execute() => _common.Execute(this);

    public void Refuse(WorkRefusedException refusal) => _common.Refuse(refusal, this);

    public Task Failed(Exception exception)
    {
        // As an async function would: a cancellation cancels, and keeps its exception.
        var builder = AsyncTaskMethodBuilder<T>.Create();
        builder.SetException(exception);
        return builder.Task;
    }

    public void Complete(Task ended)
    {
        if (ended is Task<T> same)
        {
            SetFromTask(same);
        }
        else if (ended.IsCompletedSuccessfully)
        {
            SetResult(default!);
        }
        else if (ended.Exception is { } fault)
        {
            SetException(fault.InnerExceptions);
        }
        else
        {
            Cancel(ended);
        }
    }

    public void Cancel(CancellationToken cancellationToken) => SetCanceled(cancellationToken);

    private void Cancel(Task ended)
    {
        try
        {
            ended.GetAwaiter().GetResult();
        }
        catch (OperationCanceledException cancellation)
        {
            // Nothing else gives the exception of a task that is cancelled.
            Complete(Failed(cancellation));
        }
    }
}
