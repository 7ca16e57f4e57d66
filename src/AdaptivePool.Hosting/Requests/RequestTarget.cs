using Microsoft.AspNetCore.StaticAssets;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Where the requests of an endpoint, or the calls of a hub's method, run.</summary>
internal sealed class RequestTarget(WorkClass? workClass, EndpointMetadataCollection metadata)
{
    public static readonly RequestTarget RuntimePool = new(null, EndpointMetadataCollection.Empty);

    private static readonly Action<object?> s_execute = static item => ((IThreadPoolWorkItem)item!).Execute();

    private static readonly SendOrPostCallback s_post = static item => ((IThreadPoolWorkItem)item!).Execute();

    /// <summary>The work class; null when the requests stay on the runtime's pool.</summary>
    public WorkClass? WorkClass { get; } = workClass;

    /// <summary>
    /// Whether its requests may run where the server put them, once their class has earned that: no metadata specify where they run, or what limits them.
    /// </summary>
    public bool MayBeGuest { get; } = workClass is not null && metadata.Find<ICheckedMetadata>() is null;

    /// <summary>Whether responses to its requests are likely to be files: requests without an endpoint, and static assets.</summary>
    public bool SendsFiles { get; init; } = metadata.Find<StaticAssetDescriptor>() is not null;

    /// <summary>Whether clients have connections there, so that its requests may carry their messages.</summary>
    public bool IsOfConnections { get; init; }

    /// <summary>The order among new work that the first request of a connection has.</summary>
    public WorkPriority NewConnectionPriority { get; } = workClass?.Pool.NewConnectionPriority ?? WorkPriority.Normal;

    /// <summary>What happens when a request blocks; null when the class or the pool decides.</summary>
    public BlockingAction? OnBlocking { get; } = metadata.Find<OnBlockingAttribute>()?.Action;

    /// <summary>The requests of the class that have not ended; null when they stay on the runtime's pool.</summary>
    public OpenRequests? Open { get; } = workClass is null ? null : OpenRequests.Of(workClass);

    /// <summary>
    /// Whether the caller runs there already. A request that stays on the runtime's pool may come from elsewhere: the server reads a pipelined request where
    /// the one before has ended, which is on a worker.
    /// </summary>
    public bool IsHere =>
        WorkClass is null ? AdaptiveThreadPool.Current is null : ReferenceEquals(SynchronizationContext.Current, WorkClass.SynchronizationContext);

    /// <summary>Queues an item that continues work that has begun. It is never refused.</summary>
    /// <param name="item">The work.</param>
    /// <param name="isInFlight">Whether the item continues work that has run: then it is work in flight, and waits behind no new work. Otherwise it is root
    /// work.</param>
    public void Continue(IThreadPoolWorkItem item, bool isInFlight = false)
    {
        if (WorkClass is null)
        {
            ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);
            return;
        }

        // The flow of the caller is no part of the item.
        using var none = ExecutionContext.SuppressFlow();
        if (isInFlight)
        {
            WorkClass.SynchronizationContext.Post(s_post, item);
            return;
        }

        // A scheduler refuses nothing. Because it is hidden, the code runs as in any other work item.
        new Task(s_execute, item, TaskCreationOptions.HideScheduler | TaskCreationOptions.DenyChildAttach).Start(WorkClass.Scheduler);
    }

    /// <summary>Queues new work there, as root work. If the class refuses the item, it tells the item so, on this thread or later.</summary>
    /// <param name="item">The work.</param>
    /// <param name="priority">Its order among new work of its class.</param>
    /// <returns>False when the pool is disposed.</returns>
    public bool TryQueue(IRefusableWorkItem item, WorkPriority priority = WorkPriority.Normal)
    {
        if (WorkClass is null)
        {
            ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);
            return true;
        }

        try
        {
            WorkClass.UnsafeQueueRootWork(item, priority);
            return true;
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
    }
}
