using System.Security.Cryptography;
using System.Text;

namespace AdaptivePool.Data;

/// <summary>The session by which the gates of other instances see a gate. One thread at a time uses it, as any member of a fleet.</summary>
internal sealed class PostgreSqlGateSession(DbDataSource source, string gate) : IGateFleetMember
{
    /// <summary>A look that takes longer than this is given up: the database is too busy.</summary>
    private const int TimeoutSeconds = 2;

    /// <summary>A name of a session has 63 characters: 14 are for this. Seven digits: two names in one database meet once in 268 million.</summary>
    private readonly string _prefix = $"apgate{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(gate)))[..7]}:";
    private DbConnection? _connection;
    private bool _isDisposed;

    public IReadOnlyList<string> Exchange(string line)
    {
        ArgumentNullException.ThrowIfNull(line);
        if (!line.All(static c => char.IsAsciiDigit(c) || char.IsAsciiLetterLower(c) || c == ':'))
        {
            throw new ArgumentException($"The line is '{line}'; allowed: digits, lower-case letters and colons.", nameof(line));
        }

        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return Ask(line);
    }

    public void Dispose()
    {
        _isDisposed = true;

        // The server may be gone, and the session with it.
        ProviderCalls.Quietly(Close);
    }

    private List<string> Ask(string line)
    {
        try
        {
            _connection ??= source.OpenConnection();
            using DbCommand command = _connection.CreateCommand();
            command.CommandTimeout = TimeoutSeconds;

            // Both in one message; none of the characters has a meaning in SQL, and not all providers name parameters alike. Every user sees these two columns
            // of other users' sessions. Most other columns, also the kind of the session, need privileges.
            command.CommandText = $"SET application_name = '{_prefix}{line}'; "
                + $"SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '{_prefix}%'";
            using DbDataReader reader = command.ExecuteReader();
            List<string> lines = [];
            while (reader.Read())
            {
                lines.Add(reader.GetString(0)[_prefix.Length..]);
            }

            return lines;
        }
        catch
        {
            // The session may be in any state. Another one is opened with the next look.
            DbConnection? broken = _connection;
            _connection = null;
            broken?.Dispose();
            throw;
        }
    }

    private void Close()
    {
        using DbConnection? connection = _connection;
        _connection = null;
        if (connection is not null)
        {
            // A driver that keeps the session must not go on showing the gate.
            using DbCommand command = connection.CreateCommand();
            command.CommandTimeout = TimeoutSeconds;
            command.CommandText = "RESET application_name";
            command.ExecuteNonQuery();
        }
    }
}
