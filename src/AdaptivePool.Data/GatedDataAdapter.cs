namespace AdaptivePool.Data;

/// <summary>An adapter of a <see cref="GatedProviderFactory"/>: the base class does all that there is to do, for commands of any kind.</summary>
internal sealed class GatedDataAdapter : DbDataAdapter;
