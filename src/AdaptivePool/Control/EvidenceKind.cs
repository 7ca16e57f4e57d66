namespace AdaptivePool.Control;

/// <summary>How the readings of the wave become a decision.</summary>
public enum EvidenceKind
{
    /// <summary>Readings are weighted by their noise and kept per step of size; a change needs proof against that noise, and certainty ends the probing for a while.</summary>
    Sequential,

    /// <summary>The real parts are summed as they come; a sum past a threshold is a change (seed 000).</summary>
    Accumulated,
}
