namespace AdaptivePool.Sizing;

/// <summary>What the loan voice says.</summary>
internal enum LoanAction
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>Lend up to a size.</summary>
    Lend,

    /// <summary>Pay back to the verified size.</summary>
    Repay,

    /// <summary>Keep the size and measure it.</summary>
    Verify,
}
