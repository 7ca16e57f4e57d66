namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What an atomic read-modify-write writes.</summary>
internal enum UpdateRule
{
    /// <summary>The given value.</summary>
    Set,

    /// <summary>The given value, if the expected one is there.</summary>
    SetIf,

    /// <summary>The sum.</summary>
    Add,
}
