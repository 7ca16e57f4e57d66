namespace AdaptivePool.Housekeeping;

/// <summary>What the audit has found.</summary>
internal enum AuditFinding
{
    /// <summary>Nothing that needs help.</summary>
    None,

    /// <summary>Work waits for a worker that is on the way and gets no processor.</summary>
    Late,

    /// <summary>Work waits and no thread is on the way: a wake was lost.</summary>
    Lost,
}
