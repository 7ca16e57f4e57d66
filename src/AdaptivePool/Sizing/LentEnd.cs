namespace AdaptivePool.Sizing;

/// <summary>How a stall ended for which threads were lent.</summary>
internal enum LentEnd
{
    /// <summary>None has ended.</summary>
    None,

    /// <summary>Those that waited have come back, or count as stuck.</summary>
    Returned,

    /// <summary>Half of those that slept have come back: the size that was lent is to be measured as it stands.</summary>
    Verify,
}
