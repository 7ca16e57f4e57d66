namespace AdaptivePool.Hosting;

/// <summary>
/// Endpoint metadata: requests of this endpoint belong to the named work class. This way, endpoints that behave alike, for example because they use the same
/// database, share one limit. The last attribute of an endpoint applies as a whole, class and pool. <see cref="DisableAdaptivePoolAttribute"/> takes precedence
/// over all of them. The application does not start with an empty name.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = false, Inherited = true)]
public sealed class RunOnAdaptivePoolAttribute : Attribute, ICheckedMetadata
{
    /// <summary>Makes the endpoint a work class of its own, as without any metadata. Useful for one endpoint of a group that shares a class.</summary>
    public RunOnAdaptivePoolAttribute()
    {
    }

    /// <summary>Assigns the endpoint to the work class with this name.</summary>
    /// <param name="className">The name, as <see cref="AdaptiveThreadPool.GetClass"/> accepts it. Not empty, without control characters, and not
    /// <see cref="WorkClass.InFlightName"/>.</param>
    public RunOnAdaptivePoolAttribute(string className) => ClassName = className ?? "";

    /// <summary>The name of the work class; null if the endpoint is a class of its own.</summary>
    public string? ClassName { get; }

    /// <summary>
    /// The name of the pool, as passed to <c>AddAdaptivePool("name", ...)</c>. Not empty. Null (the default): the application's pool without a name. The
    /// application does not start if there is no pool with this name.
    /// </summary>
    public string? Pool { get; set; }

    string? ICheckedMetadata.Failure => OptionText.NoClass(nameof(ClassName), ClassName) ?? OptionText.NoName(nameof(Pool), Pool);
}
