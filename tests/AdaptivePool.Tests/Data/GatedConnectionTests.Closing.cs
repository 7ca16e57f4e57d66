using System.Data;
using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

/// <content>The provider fails in closing its connection.</content>
public sealed partial class GatedConnectionTests
{
    /// <summary>Nobody could close it any more, and its transaction stayed open without a permit.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Close_FailsInTheProviderOnce_LeavesNothingOpen(bool isAsync)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        DbConnection connection = await source.OpenConnectionAsync();
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        DbConnection provider = ((GatedConnection)connection).Provider;
        inner.Noted = call => inner.Fails = inner.Fails is null && call == "close" ? call : "once";

        (await Should.ThrowAsync<InvalidOperationException>(() => CloseAsync(connection, isAsync))).Message.ShouldBe("close failed");

        provider.State.ShouldBe(ConnectionState.Closed);
        connection.State.ShouldBe(ConnectionState.Closed);
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Close_FailsInTheProvider_SaysThatItIsClosed(bool isAsync)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        DbConnection connection = await source.OpenConnectionAsync();
        await connection.CreateCommand().ExecuteNonQueryAsync();
        List<ConnectionState> told = [];
        connection.StateChange += (_, change) => told.Add(change.CurrentState);
        inner.Noted = call => inner.Fails = inner.Fails is null && call == "close" ? call : "once";

        await Should.ThrowAsync<InvalidOperationException>(() => CloseAsync(connection, isAsync));
        await CloseAsync(connection, isAsync);

        connection.State.ShouldBe(ConnectionState.Closed);
        told.ShouldBe([ConnectionState.Closed]);
    }

    /// <summary>The session of a use that has ended tells nothing of the next one.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Close_FailedInTheProvider_TheNextUseIsToldOnce(bool isLeftOpen)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        await using (await connection.BeginTransactionAsync())
        {
            inner.Noted = call => inner.Fails = call == "close" && (isLeftOpen || inner.Fails is null) ? call : "once";
            Should.Throw<InvalidOperationException>(connection.Close);
        }

        (inner.Noted, inner.Fails) = (null, null);
        await connection.CloseAsync();
        List<ConnectionState> told = [];
        connection.StateChange += (_, change) => told.Add(change.CurrentState);

        await connection.OpenAsync();
        await using (await connection.BeginTransactionAsync())
        {
            ((GatedConnection)connection).Provider.Close();
        }

        told.ShouldBe([ConnectionState.Open, ConnectionState.Closed]);
    }

    /// <summary>It may be a statement behind the rows that were read, of whose failure nobody would hear.</summary>
    [Theory]
    [InlineData(AutoCommitHandling.Count, false, false)]
    [InlineData(AutoCommitHandling.Count, false, true)]
    [InlineData(AutoCommitHandling.Count, true, false)]
    [InlineData(AutoCommitHandling.Pass, true, true)]
    public async Task Close_AReaderFailsToClose_SaysSoAndLeavesNothing(AutoCommitHandling autoCommit, bool isKept, bool isAsync)
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(
            inner, test.Gate, new GatedDataSourceOptions { AutoCommit = autoCommit, KeepsConnections = isKept, ResetStatement = "" });
        DbConnection connection = await source.OpenConnectionAsync();
        DbDataReader reader = await connection.CreateCommand().ExecuteReaderAsync();
        DbConnection provider = ((GatedConnection)connection).Provider;
        inner.Fails = "end of a reader";

        (await Should.ThrowAsync<InvalidOperationException>(() => CloseAsync(connection, isAsync))).Message.ShouldBe("end of a reader failed");

        (connection.State, provider.State, reader.IsClosed).ShouldBe((ConnectionState.Closed, ConnectionState.Closed, true));
        GateSnapshot end = test.Gate.GetSnapshot();
        (end.Held, end.Adaptive!.Failed).ShouldBe((0, autoCommit == AutoCommitHandling.Count ? 1 : 0));
        source.GetSnapshot().Open.ShouldBe(0);
        await CloseAsync(connection, isAsync);
    }

    [Theory]
    [InlineData("close", false)]
    [InlineData("close", true)]
    [InlineData("close asynchronously", false)]
    [InlineData("close asynchronously", true)]
    [InlineData("open", false)]
    [InlineData("open", true)]
    [InlineData("dispose", false)]
    [InlineData("dispose", true)]
    public async Task Close_FailsInTheProvider_ThePermitGoesBackWhenThatIsClosed(string next, bool isSilent)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource { IsSilent = isSilent };
        await using var source = new GatedDataSource(inner, test.Gate);
        DbConnection connection = await source.OpenConnectionAsync();
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        DbConnection provider = ((GatedConnection)connection).Provider;
        inner.Fails = "close";
        Should.Throw<InvalidOperationException>(connection.Close).Message.ShouldBe("close failed");
        test.Gate.GetSnapshot().Held.ShouldBe(1, "the transaction is open in the database");
        Should.Throw<InvalidOperationException>(connection.Close, "it is still open");
        inner.Fails = null;

        switch (next)
        {
            case "open":
                await connection.OpenAsync();
                break;
            case "dispose":
                await connection.DisposeAsync();
                break;
            default:
                await CloseAsync(connection, next != "close");
                break;
        }

        provider.State.ShouldBe(ConnectionState.Closed);
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }
}
