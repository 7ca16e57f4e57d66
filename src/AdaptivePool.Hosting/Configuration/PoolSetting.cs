namespace AdaptivePool.Hosting.Configuration;

/// <summary>One key of the section: how its text is read, and which values are allowed.</summary>
/// <param name="Key">The key below the section.</param>
/// <param name="Allowed">What is allowed, in words; may depend on the other options, whose keys are below the given path.</param>
/// <param name="TryRead">Reads the text into the options; false when the text is not of the key's type.</param>
/// <param name="Value">The value in the options, as text.</param>
/// <param name="IsAllowed">Whether the value in the options is in range.</param>
internal sealed record PoolSetting(
    string Key,
    Func<AdaptivePoolOptions, string, string> Allowed,
    Func<AdaptivePoolOptions, string, bool> TryRead,
    Func<AdaptivePoolOptions, string> Value,
    Func<AdaptivePoolOptions, bool> IsAllowed);
