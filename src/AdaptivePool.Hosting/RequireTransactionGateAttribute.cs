namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: each request of the endpoint enters the named gate first, and waits there without holding a worker. The last attribute of an endpoint
/// applies. The start of the application fails if no <c>AddTransactionGate</c> added a gate with this name, or if the priority is not a defined value. An
/// application that calls neither <c>AddTransactionGate</c> nor <c>AddAdaptivePool</c> ignores the attribute.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class RequireTransactionGateAttribute : Attribute, ICheckedMetadata
{
    /// <summary>Makes requests enter the gate with this name.</summary>
    /// <param name="gateName">The name of the gate. Not empty.</param>
    public RequireTransactionGateAttribute(string gateName) => GateName = gateName ?? "";

    /// <summary>The name of the gate.</summary>
    public string GateName { get; }

    /// <summary>
    /// The order among the requests that wait. Default <see cref="TransactionPriority.Normal"/>; <see cref="TransactionPriority.Admin"/> never waits.
    /// </summary>
    public TransactionPriority Priority { get; init; } = TransactionPriority.Normal;

    string? ICheckedMetadata.Failure => OptionText.NoName(nameof(GateName), GateName) ?? OptionText.Unnamed(nameof(Priority), Priority);

    /// <summary>Makes the request to the gate from the HTTP request, where the endpoint alone does not say enough.</summary>
    internal Func<HttpContext, TransactionRequest>? Describe { get; init; }
}
