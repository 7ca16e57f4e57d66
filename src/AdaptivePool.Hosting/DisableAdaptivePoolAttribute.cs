namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: requests of this endpoint stay on the runtime's pool. It takes precedence over every <see cref="RunOnAdaptivePoolAttribute"/> of the
/// endpoint. Use it for endpoints that must respond while the pool is saturated, such as health checks, and for handlers that use the processor without long
/// waits.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class DisableAdaptivePoolAttribute : Attribute;
