using AdaptivePool.Admission;
using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: each request of the endpoint enters the named gate first, and waits there without holding a worker. The last one of an endpoint wins. A
/// name that no <c>AddTransactionGate</c> knows fails the start.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class RequireTransactionGateAttribute : Attribute
{
    /// <summary>Requests enter the gate of this name.</summary>
    /// <param name="gateName">Name of the gate. Not empty.</param>
    /// <exception cref="ArgumentException">The name is null, empty or white space.</exception>
    public RequireTransactionGateAttribute(string gateName)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(gateName);
        GateName = gateName;
    }

    /// <summary>Name of the gate.</summary>
    public string GateName { get; }

    /// <summary>
    /// Order among the requests that wait. Default <see cref="TransactionPriority.Normal"/>; <see cref="TransactionPriority.Admin"/> never waits.
    /// </summary>
    public TransactionPriority Priority { get; init; } = TransactionPriority.Normal;

    /// <summary>Makes the request to the gate from the HTTP request, where the endpoint alone does not say enough.</summary>
    internal Func<HttpContext, TransactionRequest>? Describe { get; init; }
}
