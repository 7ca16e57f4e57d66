namespace AdaptivePool.Sizing;

/// <summary>What the items of a class do with their threads.</summary>
internal enum WorkKind
{
    /// <summary>Nothing has been seen yet, or the platform provides no values. The class is treated as carefully as <see cref="Serves"/>.</summary>
    Unknown,

    /// <summary>The items compute: more threads than cores and one bring nothing (rule R6).</summary>
    Burns,

    /// <summary>The items sleep, or wait for a task or for something else inside the process. Their number burdens no server.</summary>
    Sleeps,

    /// <summary>The items wait for something outside the process. A server may stand behind them, and remembers how many threads it has seen.</summary>
    Serves,
}
