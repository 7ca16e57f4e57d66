using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Tests.Data.Fakes;

/// <summary>As strict as real providers: takes its own kind of connection and transaction only.</summary>
internal sealed class FakeCommand(FakeConnection connection) : DbCommand
{
    private DbConnection? _connection = connection;

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
        set => (_connection, FakeTransaction) = (value, connection.Source.KeepsTransactions ? FakeTransaction : null);
    }

    protected override DbTransaction? DbTransaction
    {
        get => FakeTransaction;
        set => FakeTransaction = (FakeTransaction?)value;
    }

    protected override DbParameterCollection DbParameterCollection => throw new NotSupportedException();

    public override void Cancel() => connection.Source.Note("cancel");

    public override int ExecuteNonQuery()
    {
        connection.Source.Note((FakeTransaction is null ? "execute" : "execute inside") + (CommandText.Length == 0 ? "" : " " + CommandText));
        connection.Source.Executing?.Invoke();
        return 1;
    }

    public override object? ExecuteScalar() => ExecuteNonQuery();

    public override void Prepare() => connection.Source.Note("prepare");

    protected override DbParameter CreateDbParameter() => throw new NotSupportedException();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
    {
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
}
