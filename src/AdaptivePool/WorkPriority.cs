namespace AdaptivePool;

/// <summary>
/// The order of root work (new work) inside one work class. Work that continues an item that has already started always goes first and has no priority. So code
/// after an await of a high item runs before all items that have not started. No item should wait longer than <see cref="AdaptivePoolOptions.PriorityKickUp"/>.
/// </summary>
public enum WorkPriority
{
    /// <summary>After all other work. One dequeue in sixteen looks here first, so low work cannot starve.</summary>
    Low,

    /// <summary>The default. One dequeue in sixteen looks here first, so normal work cannot starve behind high work.</summary>
    Normal,

    /// <summary>Before normal work.</summary>
    High,
}
