namespace AdaptivePool.Control;

/// <summary>A list of reference points that compares its points, so that options read back from a log equal the options that were written.</summary>
/// <param name="Points">The points; <see langword="null"/> until the options are validated.</param>
internal readonly record struct PlateauPointList(IReadOnlyList<PlateauPoint>? Points)
{
    /// <inheritdoc/>
    public bool Equals(PlateauPointList other)
        => ReferenceEquals(Points, other.Points) || (Points is not null && other.Points is not null && Points.SequenceEqual(other.Points));

    /// <inheritdoc/>
    public override int GetHashCode() => Points is { Count: > 0 } ? HashCode.Combine(Points.Count, Points[0]) : 0;
}
