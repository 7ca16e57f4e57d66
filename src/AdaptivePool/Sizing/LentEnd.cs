namespace AdaptivePool.Sizing;

/// <summary>How a stall for which threads were lent has ended.</summary>
internal enum LentEnd
{
    /// <summary>No stall has ended.</summary>
    None,

    /// <summary>The workers that waited have come back, or count as stuck.</summary>
    Returned,

    /// <summary>Half of the workers that slept have come back. The size that was lent is to be measured as it stands.</summary>
    Verify,
}
