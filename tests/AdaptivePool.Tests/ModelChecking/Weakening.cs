namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What a mutation does to an operation.</summary>
internal enum Weakening
{
    /// <summary>The operation does not happen: fences, wakes, pulses.</summary>
    Removed,

    /// <summary>It orders nothing any more: acquire and release are gone, and with them the full fence of an update.</summary>
    Unordered,

    /// <summary>An update acquires and releases, but is no full fence.</summary>
    NoFence,

    /// <summary>An update is a read and a write, and others may come between.</summary>
    Split,
}
