namespace AdaptivePool.Sizing;

/// <summary>What the items of a class do with their threads.</summary>
internal enum WorkKind
{
    /// <summary>Nothing has been seen yet, or the platform tells nothing. As careful as <see cref="Serves"/>.</summary>
    Unknown,

    /// <summary>They compute: more threads than cores and one bring nothing (rule R6).</summary>
    Burns,

    /// <summary>They sleep, or wait for a task or for something else inside the process: no server minds how many they are.</summary>
    Sleeps,

    /// <summary>They wait for something outside the process: a server may stand behind them, and remembers how many threads it has seen.</summary>
    Serves,
}
