namespace AdaptivePool.Diagnostics;

/// <summary>What one line of a decision log tells.</summary>
internal enum DecisionLogKind
{
    /// <summary>A controller was created for the class; it knows nothing yet.</summary>
    Start,

    /// <summary>A controller took a sample and decided.</summary>
    Step,

    /// <summary>A controller was told to begin again from a size.</summary>
    Reinitialize,

    /// <summary>A controller was told that the size that it has verified is verified no more.</summary>
    Doubt,

    /// <summary>Lines are missing here: they came faster than they could be written.</summary>
    Dropped,
}
