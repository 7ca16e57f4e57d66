namespace AdaptivePool;

/// <summary>Sets of values for the options of a pool that are not set: see <see cref="AdaptivePoolOptions.Preset"/>.</summary>
public enum PoolPreset
{
    /// <summary>The defaults of the options. The pool measures sizes, stalls and thread starts.</summary>
    None,

    /// <summary>
    /// The rules and defaults of the thread pools of MariaDB and Percona Server: one group of threads for each processor, three threads per group in addition
    /// to the first, a stall limit of 500 ms, their table of thread starts, and high priority for new connections. Their idle timeout of 60 s, priority kick-up
    /// of 1 s and priority mode are already the defaults of this pool.
    /// </summary>
    DatabaseCompatible,
}
