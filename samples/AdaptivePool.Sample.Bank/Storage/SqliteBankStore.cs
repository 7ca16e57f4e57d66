using System.Data.Common;
using AdaptivePool.Sample.Bank.Accounts;
using Dapper;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace AdaptivePool.Sample.Bank.Storage;

/// <summary>
/// The bank in one file. SQLite lets one connection write at a time, so transfers of this process take turns before they reach the database: those that wait in
/// the database's own busy loop sleep in growing steps and overtake each other. The busy timeout is left for other processes.
/// </summary>
internal sealed class SqliteBankStore(string file, int busyTimeoutSeconds) : AdoBankStore, IDisposable
{
    private const string Schema = """
        CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, balance INTEGER NOT NULL CHECK (balance >= 0));
        CREATE TABLE IF NOT EXISTS transfers (id INTEGER PRIMARY KEY, from_account INTEGER NOT NULL, to_account INTEGER NOT NULL, amount INTEGER NOT NULL)
        """;

    private readonly SemaphoreSlim _writerTurn = new(1, 1);

    private readonly string _connectionString = new SqliteConnectionStringBuilder
    {
        DataSource = file,
        DefaultTimeout = busyTimeoutSeconds,
    }.ToString();

    protected override void CreateTables()
    {
        Batteries_V2.Init();
        using SqliteConnection connection = OpenFile();
        connection.Execute("PRAGMA journal_mode = WAL");
        using SqliteTransaction transaction = connection.BeginTransaction();
        connection.Execute(Schema, transaction: transaction);
        connection.Execute(BankSql.Fill, new { BankSql.AccountCount, BankSql.InitialBalance }, transaction);
        transaction.Commit();
    }

    public override TransferOutcome Transfer(TransferRequest request)
    {
        _writerTurn.Wait();
        try
        {
            return base.Transfer(request);
        }
        finally
        {
            _writerTurn.Release();
        }
    }

    public override async Task<TransferOutcome> TransferAsync(TransferRequest request, CancellationToken cancellationToken = default)
    {
        await _writerTurn.WaitAsync(cancellationToken);
        try
        {
            return await base.TransferAsync(request, cancellationToken);
        }
        finally
        {
            _writerTurn.Release();
        }
    }

    // The pool of connections keeps the file open; a file that is to be deleted must be let go.
    public void Dispose()
    {
        using (SqliteConnection connection = new(_connectionString))
        {
            SqliteConnection.ClearPool(connection);
        }

        _writerTurn.Dispose();
    }

    protected override string Setting => $"{BankOptions.Section}:{nameof(BankOptions.DatabaseFile)} is '{file}'";

    protected override DbConnection Open() => OpenFile();

    // SQLite has no asynchronous calls: the driver's are synchronous ones that return a finished task.
    protected override Task<DbConnection> OpenAsync(CancellationToken cancellationToken) => Task.FromResult<DbConnection>(OpenFile());

    // BeginTransaction sends BEGIN IMMEDIATE: the whole file is ours before anything is read.
    protected override string LockRows => "";

    protected override bool IsConflict(DbException exception)
        => exception is SqliteException { SqliteErrorCode: raw.SQLITE_BUSY or raw.SQLITE_LOCKED };

    // The busy timeout was the retry.
    protected override int Attempts => 1;

    private SqliteConnection OpenFile()
    {
        SqliteConnection connection = new(_connectionString);
        connection.Open();
        raw.sqlite3_busy_timeout(connection.Handle, busyTimeoutSeconds * 1000);
        return connection;
    }
}
