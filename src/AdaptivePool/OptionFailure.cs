namespace AdaptivePool;

/// <summary>What is wrong with an option. A class: for lists of tuples a process that starts compiles some fifteen methods.</summary>
internal sealed record OptionFailure(string Option, object? Value, string Message);
