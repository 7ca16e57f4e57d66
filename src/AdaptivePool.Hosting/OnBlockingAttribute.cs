namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: what happens when a request of this endpoint blocks its worker in a managed wait. Holds for the handler and all that it awaits, whatever
/// work class the endpoint belongs to. The last one of an endpoint wins. Does nothing on endpoints that stay on the runtime's pool.
/// </summary>
/// <param name="action">Ignore, Warn or Throw.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class OnBlockingAttribute(BlockingAction action) : Attribute
{
    /// <summary>What happens.</summary>
    public BlockingAction Action { get; } = action is >= BlockingAction.Ignore and <= BlockingAction.Throw
        ? action
        : throw new ArgumentOutOfRangeException(nameof(action), action, "The action must be Ignore, Warn or Throw.");
}
