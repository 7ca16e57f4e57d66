using AdaptivePool.Admission;
using AdaptivePool.Hosting.Configuration;
using AdaptivePool.Hosting.Requests;

namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: each request of the endpoint enters the named gate first, and waits there without holding a worker. The last one of an endpoint wins. A
/// name that no <c>AddTransactionGate</c> knows fails the start, and so does a priority that has no name.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class RequireTransactionGateAttribute : Attribute, ICheckedMetadata
{
    /// <summary>Requests enter the gate of this name.</summary>
    /// <param name="gateName">Name of the gate. Not empty.</param>
    public RequireTransactionGateAttribute(string gateName) => GateName = gateName ?? "";

    /// <summary>Name of the gate.</summary>
    public string GateName { get; }

    /// <summary>
    /// Order among the requests that wait. Default <see cref="TransactionPriority.Normal"/>; <see cref="TransactionPriority.Admin"/> never waits.
    /// </summary>
    public TransactionPriority Priority { get; init; } = TransactionPriority.Normal;

    string? ICheckedMetadata.Failure => OptionText.NoName(nameof(GateName), GateName) ?? OptionText.Unnamed(nameof(Priority), Priority);

    /// <summary>Makes the request to the gate from the HTTP request, where the endpoint alone does not say enough.</summary>
    internal Func<HttpContext, TransactionRequest>? Describe { get; init; }
}
