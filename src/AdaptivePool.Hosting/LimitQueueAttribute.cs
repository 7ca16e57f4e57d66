using AdaptivePool.Hosting.Configuration;
using AdaptivePool.Hosting.Requests;

namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: bounds the queue of the work class to which the endpoint, or the hub's method, belongs. A request that may not wait, or waited too long,
/// is answered 503 with Retry-After instead of run. Without any argument nothing bounds the class, whatever the pool's options say. The last one of an endpoint
/// wins as a whole. Endpoints that share a class must not disagree, and a bound must not be out of its range: the application does not start. Does nothing on
/// endpoints that stay on the runtime's pool.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class LimitQueueAttribute : Attribute, ICheckedMetadata
{
    /// <summary>Bounds how many may wait.</summary>
    /// <param name="maxQueued">
    /// Most items of the class that may wait for a worker: see <see cref="WorkClass.MaxQueued"/>. 1 to 2,147,483,647. Default: any number.
    /// </param>
    public LimitQueueAttribute(int maxQueued = int.MaxValue) => MaxQueued = maxQueued;

    internal LimitQueueAttribute(int maxQueued, TimeSpan maxQueueTime)
        : this(maxQueued) => MaxQueueTime = maxQueueTime;

    /// <summary>Most items of the class that may wait for a worker.</summary>
    public int MaxQueued { get; }

    /// <summary>
    /// Longest wait, in milliseconds: see <see cref="WorkClass.MaxQueueTime"/>. 1 to 86,400,000, or -1 (the default) for as long as it takes.
    /// </summary>
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
