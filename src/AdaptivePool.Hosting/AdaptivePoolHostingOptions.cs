namespace AdaptivePool.Hosting;

/// <summary>
/// Settings of the ASP.NET Core integration, beside the <see cref="AdaptivePoolOptions"/> of the pool itself. Both are read from the section "AdaptivePool",
/// once, when the application starts.
/// </summary>
public sealed class AdaptivePoolHostingOptions
{
    /// <summary>
    /// Whether requests run on the pool. Default true. False is the kill switch: <c>UseAdaptivePool()</c> adds nothing to the pipeline, the other settings of
    /// the section are not even looked at, and no pool is created unless the application itself asks the container for one.
    /// </summary>
    public bool Enabled { get; set; } = true;

    /// <summary>
    /// Whether SignalR hubs run on the pool: their methods, lifetime events and streams, and the loops that read their messages. Default true;
    /// they then do so also without <c>UseAdaptivePool()</c>, which brings requests to the pool. False leaves all hubs on the runtime's pool;
    /// <see cref="DisableAdaptivePoolAttribute"/> does it for one hub or method.
    /// </summary>
    public bool Hubs { get; set; } = true;
}
