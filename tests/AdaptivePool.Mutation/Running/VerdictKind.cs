namespace AdaptivePool.Mutation.Running;

/// <summary>How a mutant ended.</summary>
internal enum VerdictKind
{
    /// <summary>No test reaches it.</summary>
    NotReached,

    /// <summary>All tests that reach it pass.</summary>
    Alive,

    /// <summary>The tests that the budget allowed pass; there are more.</summary>
    AliveInBudget,

    /// <summary>Two runs of tests failed: twice the same test, or two tests.</summary>
    Killed,

    /// <summary>As killed, but one of the two did not end, or its process took too much memory.</summary>
    Hung,
}
