namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>The comparison could not be made, or an answer was wrong. The message is for the user.</summary>
internal sealed class CompareException(string message) : Exception(message);
