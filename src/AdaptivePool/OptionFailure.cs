namespace AdaptivePool;

/// <summary>The error of an option. It is a class: for lists of tuples a starting process compiles some fifteen methods.</summary>
internal sealed record OptionFailure(string Option, object? Value, string Message);
