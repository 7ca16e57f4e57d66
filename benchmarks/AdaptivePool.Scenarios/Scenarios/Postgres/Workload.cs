namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Kinds of transactions.</summary>
public enum Workload
{
    /// <summary>pgbench's TPC-B.</summary>
    TpcB,

    /// <summary>Like sysbench's oltp_read_write.</summary>
    ReadWrite,

    /// <summary>A mix like TPC-C's.</summary>
    TpcC,
}
