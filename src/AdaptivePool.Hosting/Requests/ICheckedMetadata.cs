namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// Metadata by which an endpoint specifies where its requests run and how. Each reports what is wrong with it. Attributes do not throw: if a setter throws, the
/// runtime reports only that there is no such property, and an exception of a constructor names no endpoint.
/// </summary>
internal interface ICheckedMetadata
{
    /// <summary>What is wrong: the option, its value and what is allowed; <see langword="null"/> when nothing is.</summary>
    string? Failure { get; }
}
