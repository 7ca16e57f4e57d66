namespace AdaptivePool.Sample.Cluster;

/// <summary>The command line asks for something that is not possible.</summary>
internal sealed class UsageException(string message) : Exception(message);
