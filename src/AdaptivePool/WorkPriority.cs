namespace AdaptivePool;

/// <summary>
/// Order of root work inside one work class. Work that continues something already started always goes first and has no priority; so what follows an await of
/// a high item goes before all that has not begun. Nothing is to wait longer than <see cref="AdaptivePoolOptions.PriorityKickUp"/>.
/// </summary>
public enum WorkPriority
{
    /// <summary>After everything else; one dequeue in sixteen looks here first, so it cannot starve.</summary>
    Low,

    /// <summary>The default. One dequeue in sixteen looks here first, so it cannot starve behind high work.</summary>
    Normal,

    /// <summary>Before normal work.</summary>
    High,
}
