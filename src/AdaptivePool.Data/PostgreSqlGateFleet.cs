using System.Data.Common;
using AdaptivePool.Admission;

namespace AdaptivePool.Data;

/// <summary>
/// Adaptive gates of many instances see each other in PostgreSQL's list of sessions: each gate keeps one session open, whose application_name says what the
/// others need to know. No table, no message and no coordinator: a session that ends is gone from the list. See <see cref="TransactionGateOptions.Fleet"/>.
/// </summary>
/// <remarks>
/// Any user may read that name in pg_stat_activity. Gates see those of the same name in the same database. A pooler that shares sessions between transactions
/// (PgBouncer's transaction mode) hides them: give it a data source that goes past the pooler.
/// </remarks>
public sealed class PostgreSqlGateFleet : IGateFleet
{
    private readonly DbDataSource _source;

    /// <summary>Creates a fleet.</summary>
    /// <param name="source">Where sessions come from; stays the caller's to dispose. One of its connections is used for each gate.</param>
    /// <exception cref="ArgumentNullException"><paramref name="source"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="source"/> is behind a gate: what steers a gate must not wait at one.</exception>
    public PostgreSqlGateFleet(DbDataSource source)
    {
        ArgumentNullException.ThrowIfNull(source);
        _source = source is not GatedDataSource
            ? source : throw new ArgumentException("The data source is behind a gate. Allowed: the one that it was made of.", nameof(source));
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentNullException"><paramref name="gate"/> is null.</exception>
    public IGateFleetMember Join(string gate)
    {
        ArgumentNullException.ThrowIfNull(gate);
        return new PostgreSqlGateSession(_source, gate);
    }
}
