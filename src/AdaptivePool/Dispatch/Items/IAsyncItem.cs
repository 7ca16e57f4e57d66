using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch.Items;

/// <summary>An asynchronous function that is a work item, as <see cref="AsyncItem{TSync}"/> sees it.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal interface IAsyncItem<TSync> : IRefusableWorkItem
    where TSync : struct, ISync
{
    /// <summary>What all such items have.</summary>
    ref AsyncItem<TSync> Common { get; }

    /// <summary>The end that waits for what the function awaits.</summary>
    PoolEnd<TSync> End { get; }

    /// <summary>A task that ends as an asynchronous function does that throws this.</summary>
    Task Failed(Exception exception);

    /// <summary>Ends the task that the caller has as the given one has ended: with the same exceptions, or the same token.</summary>
    void Complete(Task ended);

    /// <summary>Ends the task that the caller has.</summary>
    void Cancel(CancellationToken cancellationToken);
}
