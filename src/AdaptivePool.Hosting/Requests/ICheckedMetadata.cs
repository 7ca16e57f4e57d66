namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// Metadata by which an endpoint says where its requests run and how; each says what is wrong with it. Attributes do not throw: of what a setter throws the
/// runtime says only that there is no such property, and what a constructor throws names no endpoint.
/// </summary>
internal interface ICheckedMetadata
{
    /// <summary>What is wrong: the option, its value and what is allowed; <see langword="null"/> when nothing is.</summary>
    string? Failure { get; }
}
