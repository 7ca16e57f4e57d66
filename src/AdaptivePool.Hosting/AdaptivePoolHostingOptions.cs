namespace AdaptivePool.Hosting;

/// <summary>
/// Settings of the ASP.NET Core integration, in addition to the <see cref="AdaptivePoolOptions"/> of the pool. Both are read from the section "AdaptivePool",
/// once, when the application starts.
/// </summary>
public sealed class AdaptivePoolHostingOptions
{
    /// <summary>
    /// Whether requests run on the pool. Default true. False turns the pool off: <c>UseAdaptivePool()</c> adds nothing to the pipeline, the other settings of
    /// the section are not read, and no pool is created unless the application itself requests one from the container.
    /// </summary>
    public bool Enabled { get; set; } = true;

    /// <summary>
    /// Whether SignalR hubs run on the pool: their methods, lifetime events and streams, and the loops that read their messages. Default true; hubs then run
    /// there also without <c>UseAdaptivePool()</c>, which is for requests. False leaves all hubs on the runtime's pool;
    /// <see cref="DisableAdaptivePoolAttribute"/> does so for one hub or method.
    /// </summary>
    public bool Hubs { get; set; } = true;
}
