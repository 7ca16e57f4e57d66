namespace AdaptivePool.Control;

/// <summary>A reference point of the plateau step: from this size, to that one.</summary>
/// <param name="Size">Size before, in threads; 2 or more.</param>
/// <param name="NextSize">Size after, in threads; 1 or more and less than <paramref name="Size"/>. A higher one makes shorter steps around this size.</param>
public readonly record struct PlateauPoint(double Size, double NextSize);
