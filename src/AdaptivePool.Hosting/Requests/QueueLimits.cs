namespace AdaptivePool.Hosting.Requests;

/// <summary>The limits that endpoints and methods of hubs specify for the queues of their work classes. Each class has one queue, and so one limit.</summary>
/// <param name="services">The application's services: it may replace its endpoints while it runs.</param>
internal sealed class QueueLimits(IServiceProvider services)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<WorkClass, Said> _said = [];

    /// <summary>Limits the queue of a class as one of its endpoints or methods specifies. Values that code sets later stay until another limit is
    /// specified.</summary>
    /// <param name="workClass">The class.</param>
    /// <param name="limit">The limit; <see langword="null"/> for none.</param>
    /// <param name="owner">The endpoint or method that specifies it, in words.</param>
    /// <param name="endpoint">The endpoint that specifies it; <see langword="null"/> for a method of a hub.</param>
    /// <exception cref="InvalidOperationException">Another endpoint or method that is still there has specified another limit.</exception>
    public void Take(WorkClass workClass, LimitQueueAttribute? limit, string owner, Endpoint? endpoint)
    {
        lock (_lock)
        {
            var before = _said.GetValueOrDefault(workClass);
            var isSame = before?.Limit.MaxQueued == limit?.MaxQueued && before?.Limit.MaxQueueTime == limit?.MaxQueueTime;
            if (!isSame && before is not null && IsThere(before))
            {
                if (limit is null)
                {
                    return;
                }

                throw new InvalidOperationException(
                    $"The {before.Owner} and the {owner} share the work class '{workClass.Name}', which has one queue, "
                    + "and their LimitQueue values differ: set it on one of them only, set the same values, "
                    + "or give them different classes with RunOnAdaptivePool(NAME).");
            }

            if (limit is null)
            {
                _said.Remove(workClass);
            }
            else
            {
                _said[workClass] = new Said(limit, owner, endpoint);
            }

            if (!isSame)
            {
                workClass.MaxQueued = limit?.MaxQueued;
                workClass.MaxQueueTime = limit?.MaxQueueTime;
            }
        }
    }

    // Compares the metadata: routing may have put another endpoint with the same metadata in its place.
    private bool IsThere(Said said) => said.Endpoint is not { } endpoint
        || services.GetService<EndpointDataSource>()?.Endpoints.Any(it => ReferenceEquals(it.Metadata, endpoint.Metadata)) != false;

    private sealed record Said(LimitQueueAttribute Limit, string Owner, Endpoint? Endpoint);
}
