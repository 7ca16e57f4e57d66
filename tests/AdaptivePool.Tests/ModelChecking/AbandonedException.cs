namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Unwinds a virtual thread whose run is over.</summary>
internal sealed class AbandonedException : Exception;
