using System.Data.Common;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

/// <content>A transaction ends without a call of its own.</content>
public sealed partial class GatedConnectionTests
{
    /// <summary>Applications ask by it whether the transaction is still open.</summary>
    [Theory]
    [InlineData("COMMIT", false)]
    [InlineData("COMMIT", true)]
    [InlineData("SELECT pg_terminate_backend(pg_backend_pid())", false)]
    [InlineData("SELECT pg_terminate_backend(pg_backend_pid())", true)]
    public async Task Transaction_EndedByAStatement_HasNoConnection(string text, bool isKept)
    {
        using var test = new TestGate(1);
        await using GatedDataSource source = Strict(test, new FakeDataSource { IsStrict = true, IsSilent = true }, isKept);
        await using DbConnection connection = await source.OpenConnectionAsync();
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        transaction.Connection.ShouldBeSameAs(connection);

        try
        {
            Command(connection, text).ExecuteNonQuery();
        }
        catch (InvalidOperationException)
        {
            // The server has gone.
        }

        transaction.Connection.ShouldBeNull();
    }

    /// <summary>A provider refuses the ended transaction when a command is given it, not when one runs that has it.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task Statement_WhoseTransactionAStatementHasEnded_Runs(bool isKept, bool haveConnections)
    {
        using var test = new TestGate(1);
        await using GatedDataSource source = Strict(test, new FakeDataSource { IsStrict = true, EndedHaveConnections = haveConnections }, isKept);
        await using DbConnection connection = await source.OpenConnectionAsync();
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        using DbCommand command = Command(connection, "SELECT 1");
        command.Transaction = transaction;
        Command(connection, "COMMIT").ExecuteNonQuery();

        command.ExecuteScalar().ShouldBe(1);

        Should.Throw<InvalidOperationException>(() => Command(connection, "SELECT 1").Transaction = transaction);
    }

    private static GatedDataSource Strict(TestGate test, FakeDataSource inner, bool isKept) =>
        new(inner, test.Gate, new GatedDataSourceOptions { KeepsConnections = isKept, ResetStatement = isKept ? "" : null });

    private static DbCommand Command(DbConnection connection, string text)
    {
        DbCommand command = connection.CreateCommand();
        command.CommandText = text;
        return command;
    }
}
