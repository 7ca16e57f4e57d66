namespace AdaptivePool.Data;

/// <summary>
/// Lets the adaptive gates of several instances see each other in PostgreSQL's list of sessions. Each gate keeps one session open, and its application_name
/// contains what the other gates need to know. It needs no table, no message and no coordinator: a session that ends disappears from the list. See
/// <see cref="TransactionGateOptions.Fleet"/>.
/// </summary>
/// <remarks>
/// Any user may read that name in pg_stat_activity. A gate sees the gates with the same name in the same database. A pooler that shares sessions between
/// transactions (PgBouncer's transaction mode) hides them. In that case, use a data source that does not go through the pooler.
/// </remarks>
public sealed class PostgreSqlGateFleet : IGateFleet
{
    private readonly DbDataSource _source;

    /// <summary>Creates a fleet.</summary>
    /// <param name="source">The data source of the sessions. The caller must dispose it. Each gate uses one of its connections.</param>
    /// <exception cref="ArgumentNullException"><paramref name="source"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="source"/> is behind a gate: the session that controls a gate must not wait at a gate.</exception>
    public PostgreSqlGateFleet(DbDataSource source)
    {
        ArgumentNullException.ThrowIfNull(source);
        _source = source is not GatedDataSource
            ? source : throw new ArgumentException("The data source is behind a gate; allowed: the data source that it wraps.", nameof(source));
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentNullException"><paramref name="gate"/> is null.</exception>
    public IGateFleetMember Join(string gate)
    {
        ArgumentNullException.ThrowIfNull(gate);
        return new PostgreSqlGateSession(_source, gate);
    }
}
