namespace AdaptivePool.Diagnostics;

/// <summary>The kind of one line of a decision log.</summary>
internal enum DecisionLogKind
{
    /// <summary>A controller was created for the class. It has learned nothing yet.</summary>
    Start,

    /// <summary>A controller took a sample and decided.</summary>
    Step,

    /// <summary>A controller was told to start again from a size.</summary>
    Reinitialize,

    /// <summary>A controller was told that the size that it has verified is no longer verified.</summary>
    Doubt,

    /// <summary>Lines are missing here: they came faster than the log could write them.</summary>
    Dropped,
}
