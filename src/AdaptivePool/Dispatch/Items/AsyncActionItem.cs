namespace AdaptivePool.Dispatch.Items;

/// <summary>An asynchronous function without a result as a work item, and the source of the task that its caller has.</summary>
internal sealed class AsyncActionItem : TaskCompletionSource, IAsyncItem<RealSync>
{
    private AsyncItem<RealSync> _common;

    // The function; once it is called, its task; null once it is cancelled.
    private object _work;

    public AsyncActionItem(
        WorkClass owner, Func<Task> function, CancellationToken cancellationToken, FunctionSurroundings surroundings = FunctionSurroundings.Class)
    {
        _work = function;
        _common = new AsyncItem<RealSync>(owner, surroundings);
        _common.EndWith(cancellationToken, this);
    }

    public ref AsyncItem<RealSync> Common => ref _common;

    public PoolEnd<RealSync> End => _common.Owner.Pool.End;

    public Task Running => Unsafe.As<Task>(_work);

    public void Execute() => _common.Execute(this);

    public void Refuse(WorkRefusedException refusal) => _common.Refuse(refusal, this);

    public void Call() => _work = AsyncItem<RealSync>.Call<bool>(Unsafe.As<Func<Task>>(_work));

    public void Complete() => TrySetFromTask(Unsafe.As<Task>(_work));

    public void Cancel(CancellationToken cancellationToken)
    {
        _work = null!;
        TrySetCanceled(cancellationToken);
    }

    public void Fail(Exception exception) => TrySetException(exception);
}
