namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: what happens when a request of this endpoint blocks its worker in a managed wait. It applies to the handler and all code that it awaits,
/// whatever work class the endpoint belongs to. The last attribute of an endpoint applies. It has no effect on endpoints that stay on the runtime's pool. The
/// application does not start with any other action than these.
/// </summary>
/// <param name="action">Ignore, Warn or Throw.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class OnBlockingAttribute(BlockingAction action) : Attribute, ICheckedMetadata
{
    /// <summary>The action.</summary>
    public BlockingAction Action { get; } = action;

    string? ICheckedMetadata.Failure => OptionText.Unnamed(nameof(Action), Action);
}
