namespace AdaptivePool;

/// <summary>
/// Defaults of database thread pools that are no defaults here: those of thread_pool_stall_limit and thread_pool_oversubscribe in MariaDB and Percona Server,
/// and of threadpool_new_conn_high_prio in Azure Database for MySQL.
/// </summary>
internal static class DatabaseDefaults
{
    /// <summary>Time between two looks whether a group is stalled.</summary>
    public static readonly TimeSpan StallLimit = TimeSpan.FromMilliseconds(500);

    /// <summary>The steps in the code of their thread creation.</summary>
    public static readonly IReadOnlyDictionary<int, TimeSpan> ThreadCreationThrottle = new Dictionary<int, TimeSpan>
    {
        [4] = TimeSpan.FromMilliseconds(50),
        [8] = TimeSpan.FromMilliseconds(100),
        [16] = TimeSpan.FromMilliseconds(200),
    }.AsReadOnly();

    /// <summary>Threads of a group that may run beside the first.</summary>
    public const int Oversubscribe = 3;

    /// <summary>New connections go to the queue of high priority.</summary>
    public const WorkPriority NewConnectionPriority = WorkPriority.High;
}
