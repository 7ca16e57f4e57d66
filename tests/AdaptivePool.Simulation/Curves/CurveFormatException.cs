namespace AdaptivePool.Simulation.Curves;

/// <summary>A table of a curve cannot be used; the message names the file, the row and the value.</summary>
public sealed class CurveFormatException(string message) : Exception(message);
