namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: limits the queue of the work class to which the endpoint, or the hub's method, belongs. A request that may not wait, or has waited too
/// long, does not run and gets the status 503 with Retry-After; the caller of a hub's method gets a HubException. Without any argument the class has no
/// limit, whatever the pool's options say. The last attribute of an endpoint applies as a whole. The application does not start if endpoints or hub methods
/// that share a class have different limits, or if a limit is out of its range. The attribute has no effect on endpoints that stay on the runtime's pool.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class LimitQueueAttribute : Attribute, ICheckedMetadata
{
    /// <summary>Limits the number of items that may wait.</summary>
    /// <param name="maxQueued">
    /// The maximum number of items of the class that may wait for a worker: see <see cref="WorkClass.MaxQueued"/>. 1 to 2,147,483,647. Default: any number.
    /// </param>
    public LimitQueueAttribute(int maxQueued = int.MaxValue) => MaxQueued = maxQueued;

    internal LimitQueueAttribute(int maxQueued, TimeSpan maxQueueTime)
        : this(maxQueued) => MaxQueueTime = maxQueueTime;

    /// <summary>The maximum number of items of the class that may wait for a worker.</summary>
    public int MaxQueued { get; }

    /// <summary>The maximum wait, in milliseconds: see <see cref="WorkClass.MaxQueueTime"/>. 1 to 86,400,000, or -1 (the default) for no limit.</summary>
    public int MaxQueueMilliseconds
    {
        get => (int)MaxQueueTime.TotalMilliseconds;
        set => MaxQueueTime = TimeSpan.FromMilliseconds(value);
    }

    string? ICheckedMetadata.Failure =>
        new AdaptivePoolOptions { MaxQueued = MaxQueued }.FindErrors() is [var queued, ..] ? queued
        : new AdaptivePoolOptions { MaxQueueTime = MaxQueueTime }.FindErrors().Count == 0 ? null
        : OptionText.Wrong(nameof(MaxQueueMilliseconds), MaxQueueMilliseconds, "1 to 86400000, or -1");

    internal TimeSpan MaxQueueTime { get; private set; } = Timeout.InfiniteTimeSpan;
}
