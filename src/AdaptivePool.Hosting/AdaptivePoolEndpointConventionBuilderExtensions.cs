using AdaptivePool;
using AdaptivePool.Hosting;
using AdaptivePool.Hosting.Configuration;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Says for an endpoint, or a group of them, where its requests run.</summary>
public static class AdaptivePoolEndpointConventionBuilderExtensions
{
    /// <summary>
    /// Requests stay on the runtime's pool, whatever else is said about the endpoint. Meant for endpoints that must answer while the pool is saturated.
    /// </summary>
    /// <typeparam name="TBuilder">The builder's type.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    public static TBuilder DisableAdaptivePool<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder => builder.WithMetadata(new DisableAdaptivePoolAttribute());

    /// <summary>
    /// Requests belong to the named work class, so that endpoints that behave alike share one limit. The last call wins as a whole, class and pool;
    /// <see cref="DisableAdaptivePool"/> beats them all.
    /// </summary>
    /// <typeparam name="TBuilder">The builder's type.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="className">
    /// Name of the class, as <see cref="AdaptiveThreadPool.GetClass"/> takes it. Null (the default) makes each endpoint a class of its own, as without any
    /// metadata.
    /// </param>
    /// <param name="pool">
    /// Name of the pool, as <c>AddAdaptivePool("name", ...)</c> took it. Null (the default): the application's pool without a name. The application does not
    /// start when there is no pool of this name.
    /// </param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="className"/> or <paramref name="pool"/> is empty or white space, or has a control
    /// character.</exception>
    public static TBuilder RunOnAdaptivePool<TBuilder>(this TBuilder builder, string? className = null, string? pool = null)
        where TBuilder : IEndpointConventionBuilder
    {
        ThrowIfNoName(className, nameof(className));
        ThrowIfNoName(pool, nameof(pool));
        return builder.WithMetadata(
            className is null ? new RunOnAdaptivePoolAttribute { Pool = pool } : new RunOnAdaptivePoolAttribute(className) { Pool = pool });
    }

    /// <summary>
    /// Says what happens when a request blocks its worker in a managed wait: nothing, a warning in the log, or an exception in the handler before it blocks,
    /// which is meant for tests and development. The last call wins.
    /// </summary>
    /// <typeparam name="TBuilder">The builder's type.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="action">Ignore, Warn or Throw.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="action"/> is no <see cref="BlockingAction"/>.</exception>
    public static TBuilder OnBlocking<TBuilder>(this TBuilder builder, BlockingAction action)
        where TBuilder : IEndpointConventionBuilder
    {
        OptionText.ThrowIfUnnamed(nameof(action), action);
        return builder.WithMetadata(new OnBlockingAttribute(action));
    }

    /// <summary>
    /// Bounds the queue of the work class to which the endpoints belong. A request that may not wait, or waited too long, is answered 503 with Retry-After
    /// instead of run. The last call wins as a whole. Endpoints that share a class must not disagree: the application does not start.
    /// </summary>
    /// <typeparam name="TBuilder">The builder's type.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="maxQueued">
    /// Most items of the class that may wait for a worker: see <see cref="WorkClass.MaxQueued"/>. 1 to 2,147,483,647. Default: any number, whatever the pool's
    /// options say.
    /// </param>
    /// <param name="maxQueueTime">
    /// Longest wait: see <see cref="WorkClass.MaxQueueTime"/>. 1 ms to 24 h. Null (the default): as long as it takes, whatever the pool's options say.
    /// </param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A bound is out of its range.</exception>
    public static TBuilder LimitQueue<TBuilder>(this TBuilder builder, int maxQueued = int.MaxValue, TimeSpan? maxQueueTime = null)
        where TBuilder : IEndpointConventionBuilder
    {
        new AdaptivePoolOptions { MaxQueued = maxQueued, MaxQueueTime = maxQueueTime }.ThrowIfInvalid();
        return builder.WithMetadata(new LimitQueueAttribute(maxQueued, maxQueueTime ?? Timeout.InfiniteTimeSpan));
    }

    private static void ThrowIfNoName(string? name, string argument)
    {
        if (name is not null)
        {
            OptionText.ThrowIfNoName(name, argument);
        }
    }
}
