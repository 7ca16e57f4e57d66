using AdaptivePool;
using AdaptivePool.Hosting;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Specifies for an endpoint, or a group of endpoints, where its requests run.</summary>
public static class AdaptivePoolEndpointConventionBuilderExtensions
{
    /// <summary>
    /// Keeps requests on the runtime's pool, whatever other metadata the endpoint has. Use it for endpoints that must respond while the pool is saturated.
    /// </summary>
    /// <typeparam name="TBuilder">The type of the builder.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    public static TBuilder DisableAdaptivePool<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder => builder.WithMetadata(new DisableAdaptivePoolAttribute());

    /// <summary>
    /// Assigns requests to the named work class, so that endpoints that behave alike share one limit. The last call applies as a whole, class and pool.
    /// <see cref="DisableAdaptivePool"/> takes precedence over all of them.
    /// </summary>
    /// <typeparam name="TBuilder">The type of the builder.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="className">
    /// The name of the class, as <see cref="AdaptiveThreadPool.GetClass"/> accepts it. Null (the default) makes each endpoint a class of its own, as without
    /// any metadata.
    /// </param>
    /// <param name="pool">
    /// The name of the pool, as passed to <c>AddAdaptivePool("name", ...)</c>. Null (the default): the application's pool without a name. The application does
    /// not start if there is no pool with this name.
    /// </param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// <paramref name="className"/> or <paramref name="pool"/> is empty or white space, or contains a control character, or <paramref name="className"/> is
    /// <see cref="WorkClass.InFlightName"/>.
    /// </exception>
    public static TBuilder RunOnAdaptivePool<TBuilder>(this TBuilder builder, string? className = null, string? pool = null)
        where TBuilder : IEndpointConventionBuilder
    {
        ThrowIfNoName(className, nameof(className));
        ThrowIfNoName(pool, nameof(pool));
        if (OptionText.NoClass(nameof(className), className) is { } failure)
        {
            throw new ArgumentException(failure, nameof(className));
        }

        return builder.WithMetadata(
            className is null ? new RunOnAdaptivePoolAttribute { Pool = pool } : new RunOnAdaptivePoolAttribute(className) { Pool = pool });
    }

    /// <summary>
    /// Specifies what happens when a request blocks its worker in a managed wait: nothing, a warning in the log, or an exception in the handler before it
    /// blocks, which is for tests and development. The last call applies.
    /// </summary>
    /// <typeparam name="TBuilder">The type of the builder.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="action">Ignore, Warn or Throw.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="action"/> is not a defined <see cref="BlockingAction"/>.</exception>
    public static TBuilder OnBlocking<TBuilder>(this TBuilder builder, BlockingAction action)
        where TBuilder : IEndpointConventionBuilder
    {
        OptionText.ThrowIfUnnamed(nameof(action), action);
        return builder.WithMetadata(new OnBlockingAttribute(action));
    }

    /// <summary>
    /// Limits the queue of the work class to which the endpoints belong. A request that may not wait, or has waited too long, does not run and gets the status
    /// 503 with Retry-After. The last call applies as a whole. The application does not start if endpoints that share a class have different limits.
    /// </summary>
    /// <typeparam name="TBuilder">The type of the builder.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="maxQueued">
    /// The maximum number of items of the class that may wait for a worker: see <see cref="WorkClass.MaxQueued"/>. 1 to 2,147,483,647. Default: any number,
    /// whatever the pool's options say.
    /// </param>
    /// <param name="maxQueueTime">
    /// The maximum wait: see <see cref="WorkClass.MaxQueueTime"/>. 1 ms to 24 h. Null (the default): no limit, whatever the pool's options say.
    /// </param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A limit is out of its range.</exception>
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
