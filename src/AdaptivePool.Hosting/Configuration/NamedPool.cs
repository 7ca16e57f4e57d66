namespace AdaptivePool.Hosting.Configuration;

/// <summary>Registered for each pool that <c>AddAdaptivePool(name, ...)</c> has added.</summary>
/// <param name="Name">The name, which is also the key of its services and of its section.</param>
internal sealed record NamedPool(string Name);
