namespace AdaptivePool.Stress;

/// <summary>Items are lost for good: not even the safety net finds them.</summary>
internal sealed class StuckException(string message) : Exception(message);
