using AdaptivePool.Admission;
using AdaptivePool.Hosting;
using AdaptivePool.Hosting.Configuration;
using AdaptivePool.Hosting.Gates;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Puts an endpoint, or a group of them, behind a transaction gate.</summary>
public static class TransactionGateEndpointConventionBuilderExtensions
{
    /// <summary>
    /// Each request enters the named gate before anything of the endpoint runs, and leaves it when the endpoint has ended. The last call wins.
    /// </summary>
    /// <typeparam name="TBuilder">The builder's type.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="gateName">Name of the gate, as <c>AddTransactionGate</c> has it.</param>
    /// <param name="priority">Order among the requests that wait. Default <see cref="TransactionPriority.Normal"/>; <see cref="TransactionPriority.Admin"/>
    /// never waits.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="gateName"/> is empty or white space.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="priority"/> is no <see cref="TransactionPriority"/>.</exception>
    public static TBuilder RequireTransactionGate<TBuilder>(this TBuilder builder, string gateName, TransactionPriority priority = TransactionPriority.Normal)
        where TBuilder : IEndpointConventionBuilder
    {
        OptionText.ThrowIfUnnamed(nameof(priority), priority);
        return Require(builder, new RequireTransactionGateAttribute(gateName) { Priority = priority });
    }

    /// <summary>
    /// As <see cref="RequireTransactionGate{TBuilder}(TBuilder, string, TransactionPriority)"/>, for endpoints whose requests differ in priority or partition,
    /// such as a tenant.
    /// </summary>
    /// <typeparam name="TBuilder">The builder's type.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="gateName">Name of the gate, as <c>AddTransactionGate</c> has it.</param>
    /// <param name="describe">Says who asks, for each request. Must be quick: it runs before the pool's hop. Without a name, the endpoint's is used.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="gateName"/> is empty or white space.</exception>
    public static TBuilder RequireTransactionGate<TBuilder>(this TBuilder builder, string gateName, Func<HttpContext, TransactionRequest> describe)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(describe);
        return Require(builder, new RequireTransactionGateAttribute(gateName) { Describe = describe });
    }

    private static TBuilder Require<TBuilder>(TBuilder builder, RequireTransactionGateAttribute metadata)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrWhiteSpace(metadata.GateName, "gateName");
        builder.Add(endpoint =>
        {
            GateCatalog.Find(endpoint.ApplicationServices, metadata.GateName, endpoint.DisplayName);
            endpoint.Metadata.Add(metadata);
        });
        return builder;
    }
}
