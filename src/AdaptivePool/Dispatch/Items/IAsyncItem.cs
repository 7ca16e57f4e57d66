namespace AdaptivePool.Dispatch.Items;

/// <summary>An asynchronous function that is a work item, as <see cref="AsyncItem{TSync}"/> sees it.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal interface IAsyncItem<TSync> : IRefusableWorkItem
    where TSync : struct, ISync
{
    /// <summary>What all such items have.</summary>
    ref AsyncItem<TSync> Common { get; }

    /// <summary>The end of the pool, which waits for what the function awaits.</summary>
    PoolEnd<TSync> End { get; }

    /// <summary>After <see cref="Call"/>: a task that ends as the function does, also where it threw at once.</summary>
    Task Running { get; }

    /// <summary>Calls the function.</summary>
    void Call();

    /// <summary>Ends the task that the caller has as <see cref="Running"/> has ended: with the same exceptions, or the same token.</summary>
    void Complete();

    /// <summary>Ends the task that the caller has.</summary>
    void Cancel(CancellationToken cancellationToken);

    /// <summary>Ends the task that the caller has.</summary>
    void Fail(Exception exception);
}
