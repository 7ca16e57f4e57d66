using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Hosting.Load;

/// <summary>
/// Checks the application when it starts. It refuses requests that are counted behind the pool, where no wait for a thread is visible and overload is never
/// reported. It warns when no request is counted.
/// </summary>
internal sealed partial class LoadStartupFilter(ILogger<OverloadMonitor> logger) : IStartupFilter
{
    private const string CountedKey = "AdaptivePool.IsLoadCounted";

    private bool _isUsed;

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        next(app);
        if (!_isUsed)
        {
            LogNotUsed(logger);
        }
    };

    /// <summary>Called by <c>UseLoadReporting()</c>.</summary>
    /// <returns>A function to call when the pipeline is built. It throws when the call was behind the pool.</returns>
    public Action Use(IApplicationBuilder app)
    {
        _isUsed = true;

        // A branch has the properties of the pipeline that it leaves. A request that is counted twice counts at the first place.
        var isBehindPool = RequestStartupFilter.IsUsedBefore(app) && !app.Properties.ContainsKey(CountedKey);
        app.Properties[CountedKey] = true;
        return () =>
        {
            if (isBehindPool && app.ApplicationServices.GetService<IOptions<AdaptivePoolHostingOptions>>() is { Value.Enabled: true })
            {
                throw new InvalidOperationException(
                    "UseLoadReporting() is called after UseAdaptivePool(), where it cannot see waits for a thread of the pool: "
                    + "call 'app.UseLoadReporting()' before 'app.UseAdaptivePool()'.");
            }
        };
    }

    [LoggerMessage(
        1,
        LogLevel.Warning,
        "AddLoadReporting() was called, but no request is counted, and no load is reported to balancers: "
            + "call 'app.UseLoadReporting()' before 'app.UseAdaptivePool()'.",
        EventName = "NoLoadReporting")]
    private static partial void LogNotUsed(ILogger logger);
}
