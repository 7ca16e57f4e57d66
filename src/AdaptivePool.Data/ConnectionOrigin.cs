using AdaptivePool.Admission;

namespace AdaptivePool.Data;

/// <summary>What all connections of a <see cref="GatedDataSource"/> share.</summary>
/// <param name="Gate">The gate.</param>
/// <param name="Options">The settings of the source.</param>
/// <param name="Shelf">Where its connections are kept; <see langword="null"/> where they are not.</param>
/// <param name="Factory">Its factory.</param>
internal sealed record ConnectionOrigin(TransactionGate Gate, GatedDataSourceOptions Options, ConnectionShelf? Shelf, GatedProviderFactory Factory);
