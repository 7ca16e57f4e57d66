namespace AdaptivePool.Data;

/// <summary>
/// Settings of a <see cref="GatedDataSource"/>. The data source keeps its own copy. The constructor of the data source rejects invalid values.
/// </summary>
public sealed class GatedDataSourceOptions
{
    /// <summary>
    /// A <see cref="ResetStatement"/> for PostgreSQL that keeps prepared statements: the same as Npgsql's own pool sends. <c>DISCARD ALL</c> would remove
    /// statements that Npgsql has prepared and continues to use. Statements that SQL text has prepared stay.
    /// </summary>
    public const string PostgreSqlReset =
        "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD SEQUENCES; DISCARD TEMP";

    /// <summary>The request with which transactions of the data source enter the gate. Default: no name, normal priority.</summary>
    public TransactionRequest Request { get; set; }

    /// <summary>How a statement outside a transaction is handled. Default <see cref="AutoCommitHandling.Pass"/>.</summary>
    public AutoCommitHandling AutoCommit { get; set; }

    /// <summary>
    /// Whether the data source keeps the provider's connections open itself, instead of returning them to the provider's pool after each use. Default false.
    /// With true, the connection that was used last is reused first. So the database sees only as many connections as are in use, while the pools of most
    /// providers use all connections in turn that were ever opened. With true, the source also opens one connection after another, so a database that is slow
    /// to authenticate does not get a hundred requests at once. Turn off the provider's own pool if possible. Inside a TransactionScope the provider opens a
    /// connection for each use, which is not kept. Needs <see cref="ResetStatement"/>.
    /// </summary>
    public bool KeepsConnections { get; set; }

    /// <summary>
    /// The SQL that restores the initial state of a connection. It runs when the connection is closed, so that nothing that its user left there blocks others
    /// until the next use. A connection on which it fails is discarded. It runs again before a connection that was idle for <see cref="ValidateAfter"/> is used
    /// again. For PostgreSQL with Npgsql use <see cref="PostgreSqlReset"/>. An empty string runs nothing: settings, temporary tables and session locks of one
    /// user then reach the next user, and a user detects a connection that the server has ended in the meantime. Default <see langword="null"/>, which is not
    /// allowed with <see cref="KeepsConnections"/>: this library cannot decide what state a session may leave behind.
    /// </summary>
    /// <remarks>
    /// The statement need not end a transaction that SQL text has begun: if the statements of a connection may have left a transaction open, and the connection
    /// is inside one after the reset, it is discarded. A provider that commits an open transaction when another one begins (MySQL) needs <c>ROLLBACK</c> here.
    /// </remarks>
    public string? ResetStatement { get; set; }

    /// <summary>
    /// How long a kept connection may be idle and still be used without a check. 0 to 24 h; default 500 ms. With 0 each use costs one more round trip, and a
    /// connection that the server has ended while it was idle is never used. A higher value saves round trips.
    /// </summary>
    [OptionRange("00:00:00", "1.00:00:00")]
    public TimeSpan ValidateAfter { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>
    /// How long a kept connection may be idle before it is closed. 1 ms to 24 h; default 60 s. A higher value opens fewer connections and keeps more of them
    /// open.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00")]
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(60);

    internal GatedDataSourceOptions Copy() => (GatedDataSourceOptions)MemberwiseClone();

    /// <summary>Throws for the first thing that is wrong.</summary>
    internal void ThrowIfInvalid() => OptionCheck.ThrowFirst(
    [
        .. OptionCheck.Failures(this),
        .. OptionCheck.When(!Enum.IsDefined(Request.Priority),
            $"{nameof(Request)}.{nameof(Request.Priority)}", Request.Priority, OptionCheck.Names(typeof(TransactionPriority))),
        .. OptionCheck.When(KeepsConnections && ResetStatement is null,
            nameof(ResetStatement), ResetStatement, "a statement, or an empty text for none, where KeepsConnections is true"),
    ]);
}
