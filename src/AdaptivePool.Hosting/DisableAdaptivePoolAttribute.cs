namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: requests of this endpoint stay on the runtime's pool. Wins over every <see cref="RunOnAdaptivePoolAttribute"/> of the endpoint. Meant for
/// endpoints that must answer while the pool is saturated, such as health checks, and for handlers that never leave the processor for long.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class DisableAdaptivePoolAttribute : Attribute;
