namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>One request, and how its answer must look.</summary>
/// <param name="Path">Path and query.</param>
/// <param name="Body">JSON body of a POST; null for a GET.</param>
/// <param name="IsRight">Judges status and body.</param>
internal sealed record Call(string Path, byte[]? Body, Func<int, byte[], bool> IsRight);
