using AdaptivePool.Admission;

namespace AdaptivePool.Hosting.Gates;

/// <summary>One key of a gate's section.</summary>
/// <param name="Key">Name of the key and of the option.</param>
/// <param name="Allowed">What kind of text the key takes.</param>
/// <param name="TryRead">Puts a text into the options; false when it is of another kind.</param>
internal sealed record GateSetting(string Key, string Allowed, Func<TransactionGateOptions, string, bool> TryRead);
