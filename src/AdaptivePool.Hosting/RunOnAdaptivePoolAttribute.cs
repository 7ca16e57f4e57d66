using AdaptivePool.Hosting.Configuration;
using AdaptivePool.Hosting.Requests;

namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: requests of this endpoint belong to the named work class. Endpoints that behave alike, for example because the same database stands
/// behind them, share one limit this way. The last one of an endpoint wins as a whole, class and pool; <see cref="DisableAdaptivePoolAttribute"/> beats them
/// all. The application does not start with an empty name.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class RunOnAdaptivePoolAttribute : Attribute, ICheckedMetadata
{
    /// <summary>
    /// The endpoint is a work class of its own, which is also what happens without any metadata. Useful on one endpoint of a group that shares a class.
    /// </summary>
    public RunOnAdaptivePoolAttribute()
    {
    }

    /// <summary>The endpoint belongs to the work class of this name.</summary>
    /// <param name="className">The name, as <see cref="AdaptiveThreadPool.GetClass"/> takes it. Not empty, without control characters.</param>
    public RunOnAdaptivePoolAttribute(string className) => ClassName = className ?? "";

    /// <summary>Name of the work class; null when the endpoint is a class of its own.</summary>
    public string? ClassName { get; }

    /// <summary>
    /// Name of the pool, as <c>AddAdaptivePool("name", ...)</c> took it. Not empty. Null (the default): the application's pool without a name. The
    /// application does not start when there is no pool of this name.
    /// </summary>
    public string? Pool { get; set; }

    string? ICheckedMetadata.Failure => OptionText.NoName(nameof(ClassName), ClassName) ?? OptionText.NoName(nameof(Pool), Pool);
}
