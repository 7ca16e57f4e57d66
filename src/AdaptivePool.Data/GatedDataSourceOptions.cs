using AdaptivePool.Admission;

namespace AdaptivePool.Data;

/// <summary>Settings of a <see cref="GatedDataSource"/>. The source keeps its own copy. Bad values are refused when it is created.</summary>
public sealed class GatedDataSourceOptions
{
    /// <summary>
    /// A <see cref="ResetStatement"/> for PostgreSQL that keeps prepared statements: what Npgsql's own pool sends.
    /// <c>DISCARD ALL</c> would take the statements away that Npgsql has prepared and goes on using. What SQL text has
    /// prepared stays.
    /// </summary>
    public const string PostgreSqlReset =
        "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD SEQUENCES; DISCARD TEMP";

    /// <summary>How its transactions ask to enter. Default: nameless, with normal priority.</summary>
    public TransactionRequest Request { get; set; }

    /// <summary>What a statement outside a transaction does. Default <see cref="AutoCommitHandling.Pass"/>.</summary>
    public AutoCommitHandling AutoCommit { get; set; }

    /// <summary>
    /// Whether the source keeps the provider's connections open itself instead of giving them back to the provider's pool after each use. Default false.
    /// True hands out the one used last first, so that a database sees as few of them
    /// as are in use, where most providers' pools go round through all that were ever opened;
    /// and opens one after another, so that a database that is slow to authenticate is not asked for a hundred at once. Switch the
    /// provider's own pool off, where it can be. Inside a TransactionScope the provider opens one for each use, which is not kept.
    /// Needs <see cref="ResetStatement"/>.
    /// </summary>
    public bool KeepsConnections { get; set; }

    /// <summary>
    /// SQL that brings a connection back into its first state, run when it is closed, so that nothing that its user left holds up others until the next use;
    /// a connection on which it fails is thrown away. Run again before
    /// a connection that was idle for <see cref="ValidateAfter"/> is handed out. PostgreSQL with Npgsql: <see cref="PostgreSqlReset"/>. Empty runs nothing:
    /// settings, temporary tables and session locks of one user then reach the next, and a connection that the server has ended meanwhile is found out by its
    /// user.
    /// Default <see langword="null"/>, which <see cref="KeepsConnections"/> does not allow: what a session leaves behind is not for this library to decide.
    /// </summary>
    /// <remarks>
    /// A transaction that SQL text has begun need not be its concern: a connection whose statements may have left one open is thrown away if it is inside one
    /// after the reset. A provider that commits an open transaction where another one begins (MySQL) needs <c>ROLLBACK</c> here.
    /// </remarks>
    public string? ResetStatement { get; set; }

    /// <summary>How long a kept connection may be idle and be handed out untried. 0 to 24 h; default 500 ms.
    /// With 0 each use pays for one more round trip, and a connection that the server has ended while it was idle is never handed out.
    /// A higher value saves round trips.</summary>
    [OptionRange("00:00:00", "1.00:00:00")]
    public TimeSpan ValidateAfter { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>How long a kept connection may be idle before it is closed. 1 ms to 24 h; default 60 s.
    /// A higher value opens fewer connections and keeps more of them open.</summary>
    [OptionRange("00:00:00.001", "1.00:00:00")]
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(60);

    internal GatedDataSourceOptions Copy() => (GatedDataSourceOptions)MemberwiseClone();

    /// <summary>Throws for the first thing that is wrong.</summary>
    internal void ThrowIfInvalid()
    {
        OptionCheck.ThrowFirst(OptionCheck.Failures(this));
        if (!Enum.IsDefined(Request.Priority))
        {
            throw OptionCheck.Refusal(
                OptionCheck.Failure($"{nameof(Request)}.{nameof(Request.Priority)}", Request.Priority, OptionCheck.Names(typeof(TransactionPriority))));
        }

        if (KeepsConnections && ResetStatement is null)
        {
            throw OptionCheck.Refusal(
                OptionCheck.Failure(nameof(ResetStatement), ResetStatement, "a statement, or an empty text for none, where KeepsConnections is true"));
        }
    }
}
