using AdaptivePool.Hosting;
using AdaptivePool.Hosting.Gates;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Puts an endpoint, or a group of them, behind a transaction gate.</summary>
public static class TransactionGateEndpointConventionBuilderExtensions
{
    /// <summary>
    /// Makes each request enter the named gate before any code of the endpoint runs, and leave it when the endpoint has ended. The last call applies.
    /// </summary>
    /// <typeparam name="TBuilder">The type of the builder.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="gateName">The name of the gate, as passed to <c>AddTransactionGate</c>.</param>
    /// <param name="priority">
    /// The order among the requests that wait. Default <see cref="TransactionPriority.Normal"/>; <see cref="TransactionPriority.Admin"/> never waits.
    /// </param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> or <paramref name="gateName"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="gateName"/> is empty or white space.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="priority"/> is not a defined <see cref="TransactionPriority"/>.</exception>
    public static TBuilder RequireTransactionGate<TBuilder>(this TBuilder builder, string gateName, TransactionPriority priority = TransactionPriority.Normal)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(gateName);
        OptionText.ThrowIfUnnamed(nameof(priority), priority);
        return Require(builder, new RequireTransactionGateAttribute(gateName) { Priority = priority });
    }

    /// <summary>
    /// Does the same as <see cref="RequireTransactionGate{TBuilder}(TBuilder, string, TransactionPriority)"/>, for endpoints whose requests differ in priority
    /// or partition, such as a tenant.
    /// </summary>
    /// <typeparam name="TBuilder">The type of the builder.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="gateName">The name of the gate, as passed to <c>AddTransactionGate</c>.</param>
    /// <param name="describe">
    /// A function that returns the gate request for each HTTP request. It must be quick: it runs before the request moves to a worker. If it sets no name, the
    /// name of the endpoint is used.
    /// </param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="gateName"/> is empty or white space.</exception>
    public static TBuilder RequireTransactionGate<TBuilder>(this TBuilder builder, string gateName, Func<HttpContext, TransactionRequest> describe)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(gateName);
        ArgumentNullException.ThrowIfNull(describe);
        return Require(builder, new RequireTransactionGateAttribute(gateName) { Describe = describe });
    }

    private static TBuilder Require<TBuilder>(TBuilder builder, RequireTransactionGateAttribute metadata)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Add(endpoint =>
        {
            // Some endpoints are built without the application's services, such as those of Razor components and YARP. The start checks them.
            if (endpoint.ApplicationServices.GetService<IServiceScopeFactory>() is not null)
            {
                GateCatalog.Find(endpoint.ApplicationServices, metadata.GateName, endpoint.DisplayName);
            }

            endpoint.Metadata.Add(metadata);
        });
        return builder;
    }
}
