using System.Data.Common;
using Dapper;
using Npgsql;

namespace AdaptivePool.Sample.Bank.Storage;

/// <summary>The bank in a schema of a PostgreSQL database.</summary>
internal sealed class PostgresBankStore : AdoBankStore, IDisposable
{
    // Any number will do as long as nothing else in the database uses it for an advisory lock.
    private const long SchemaLock = 0x62616E6B;

    private readonly NpgsqlDataSource _dataSource;
    private readonly string _schema;

    public PostgresBankStore(string connectionString, string schema)
    {
        if (schema.Length is 0 or > 63 || !char.IsAsciiLetterLower(schema[0])
            || !schema.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '_'))
        {
            throw new BankSettingException($"Bank:Schema is '{schema}'; allowed: 1 to 63 lower-case letters, digits and underscores, starting with a letter.");
        }

        _schema = schema;
        _dataSource = NpgsqlDataSource.Create(new NpgsqlConnectionStringBuilder(connectionString) { SearchPath = schema });
    }

    protected override void CreateTables()
    {
        using DbConnection connection = Open();
        using DbTransaction transaction = connection.BeginTransaction();

        // CREATE ... IF NOT EXISTS alone fails when two sessions run it at once.
        connection.Execute("SELECT pg_advisory_xact_lock(@SchemaLock)", new { SchemaLock }, transaction);
        connection.Execute(
            $"""
            CREATE SCHEMA IF NOT EXISTS {_schema};
            CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, balance BIGINT NOT NULL CHECK (balance >= 0));
            CREATE TABLE IF NOT EXISTS transfers (
                id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, from_account INTEGER NOT NULL, to_account INTEGER NOT NULL, amount BIGINT NOT NULL)
            """,
            transaction: transaction);
        connection.Execute(BankSql.Fill, new { BankSql.AccountCount, BankSql.InitialBalance }, transaction);
        transaction.Commit();
    }

    public void Drop()
    {
        using DbConnection connection = Open();
        connection.Execute($"DROP SCHEMA IF EXISTS {_schema} CASCADE");
    }

    public void Dispose() => _dataSource.Dispose();

    // The text itself may hold a password.
    protected override string Setting => "ConnectionStrings:Bank is set";

    protected override DbConnection Open() => _dataSource.OpenConnection();

    protected override async Task<DbConnection> OpenAsync(CancellationToken cancellationToken) => await _dataSource.OpenConnectionAsync(cancellationToken);

    protected override string LockRows => " FOR UPDATE";

    protected override bool IsConflict(DbException exception)
        => exception is PostgresException { SqlState: PostgresErrorCodes.SerializationFailure or PostgresErrorCodes.DeadlockDetected };
}
