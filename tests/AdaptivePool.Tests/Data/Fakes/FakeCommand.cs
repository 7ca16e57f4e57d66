using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Tests.Data.Fakes;

/// <summary>As strict as real providers: takes its own kind of connection and transaction only.</summary>
internal sealed class FakeCommand(FakeConnection connection) : DbCommand
{
    private DbConnection? _connection = connection;
    private bool _isDisposed;

    [AllowNull]
    public override string CommandText { get; set; } = "";

    public override int CommandTimeout { get; set; }

    public override CommandType CommandType { get; set; } = CommandType.Text;

    public override bool DesignTimeVisible { get; set; }

    public override UpdateRowSource UpdatedRowSource { get; set; }

    public FakeTransaction? FakeTransaction { get; private set; }

    /// <summary>A new connection takes the transaction away, as with some providers, unless its source keeps them.</summary>
    protected override DbConnection? DbConnection
    {
        get => _connection;
        set => (_connection, FakeTransaction) = (value, Keeps(value) ? FakeTransaction : null);
    }

    protected override DbTransaction? DbTransaction
    {
        get => FakeTransaction;
        set => FakeTransaction = !connection.Source.IsStrict || value is not FakeTransaction { IsOver: true } ? (FakeTransaction?)value
            : throw new InvalidOperationException("The transaction has ended, or its connection is closed.");
    }

    protected override DbParameterCollection DbParameterCollection => throw new NotSupportedException();

    public override void Cancel()
    {
        connection.Source.Note("cancel");
        (_connection as FakeConnection)?.Session?.Cancel();
    }

    public override int ExecuteNonQuery()
    {
        if (Session is { } session)
        {
            return Run(session).Affected;
        }

        connection.Source.Note((FakeTransaction is null ? "execute" : "execute inside") + (CommandText.Length == 0 ? "" : " " + CommandText));
        connection.Source.Executing?.Invoke();
        return 1;
    }

    public override object? ExecuteScalar()
    {
        if (Session is not { } session)
        {
            return ExecuteNonQuery();
        }

        DataTable? rows = Run(session).Results.FirstOrDefault();
        return rows is { Rows.Count: > 0 } ? rows.Rows[0][0] : null;
    }

    public override void Prepare()
    {
        Session?.ThrowIfReading();
        connection.Source.Note("prepare");
    }

    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        base.Dispose(disposing);
    }

    protected override DbParameter CreateDbParameter() => throw new NotSupportedException();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
    {
        if (connection.Source.IsStrict)
        {
            return Read(behavior);
        }

        ExecuteNonQuery();
        var reader = new FakeReader(connection.Source);
        if (connection.Source.Fails == "read")
        {
            // A closed one throws.
            reader.Break();
        }

        connection.Source.Readers.Add(reader);
        return reader;
    }

    /// <summary>That of a strict command, which may run now; <see langword="null"/> for others.</summary>
    private FakeSession? Session
    {
        get
        {
            if (!connection.Source.IsStrict)
            {
                return null;
            }

            ObjectDisposedException.ThrowIf(_isDisposed, this);
            var connected = (FakeConnection?)_connection ?? throw new InvalidOperationException("The command has no connection.");
            return connected.Session ?? throw new InvalidOperationException("The connection is closed.");
        }
    }

    /// <summary>Strict ones that are given their own connection once more keep the transaction.</summary>
    private bool Keeps(DbConnection? value) => connection.Source.KeepsTransactions || (connection.Source.IsStrict && ReferenceEquals(value, _connection));

    private (IReadOnlyList<DataTable> Results, int Affected) Run(FakeSession session)
    {
        connection.Source.Note($"execute {CommandText}");
        session.ThrowIfReading();
        FakeTransaction? own = FakeTransaction is { IsOver: false } open ? open : null;
        if (connection.Source.DemandsTransactions && !ReferenceEquals(own, session.Transaction))
        {
            throw new InvalidOperationException("The command needs the transaction of its connection.");
        }

        return session.Run(CommandText);
    }

    private FakeReader Read(CommandBehavior behavior)
    {
        bool closes = behavior.HasFlag(CommandBehavior.CloseConnection);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        try
        {
            FakeSession session = Session!;
            (IReadOnlyList<DataTable> results, int affected) = Run(session);
            return session.Reader = new FakeReader(connection.Source, results, affected, closes ? session : null);
        }
        catch when (closes)
        {
            _connection?.Close();
            throw;
        }
    }
}
