namespace AdaptivePool.Control;

/// <summary>A reference point of the plateau step: the step from one size to the next.</summary>
/// <param name="Size">The size before the step, in threads; 2 or more.</param>
/// <param name="NextSize">
/// The size after the step, in threads; 1 or more and less than <paramref name="Size"/>. A higher value makes steps around this size shorter.
/// </param>
public readonly record struct PlateauPoint(double Size, double NextSize);
