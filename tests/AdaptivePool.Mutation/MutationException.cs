namespace AdaptivePool.Mutation;

/// <summary>The tool cannot do what it was asked for; the message says why.</summary>
internal sealed class MutationException(string message) : Exception(message);
