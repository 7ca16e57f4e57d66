using System.Data;
using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

public sealed partial class GatedDataSourceTests
{
    public static TheoryData<string, Func<DbConnection, DbTransaction, Task>> Ends => new()
    {
        { "Commit", static (_, transaction) => Do(transaction.Commit) },
        { "CommitAsync", static (_, transaction) => transaction.CommitAsync() },
        { "Rollback", static (_, transaction) => Do(transaction.Rollback) },
        { "RollbackAsync", static (_, transaction) => transaction.RollbackAsync() },
        { "Dispose", static (_, transaction) => Do(transaction.Dispose) },
        { "DisposeAsync", static (_, transaction) => transaction.DisposeAsync().AsTask() },
        { "Connection.Close", static (connection, _) => Do(connection.Close) },
        { "Connection.CloseAsync", static (connection, _) => connection.CloseAsync() },
        { "Connection.Dispose", static (connection, _) => Do(connection.Dispose) },
        { "Connection.DisposeAsync", static (connection, _) => connection.DisposeAsync().AsTask() },
        { "Connection breaks", static (connection, _) => Do(((FakeConnection)((GatedConnection)connection).Provider).Break) },
    };

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task Transaction_FromBeginToItsEnd_HoldsOnePermit(string end, Func<DbConnection, DbTransaction, Task> endIt)
    {
        using var test = new TestGate(1);
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate);
        DbConnection connection = await source.OpenConnectionAsync();
        DbTransaction transaction = await connection.BeginTransactionAsync();
        test.Gate.GetSnapshot().Held.ShouldBe(1);

        await endIt(connection, transaction);

        test.Gate.GetSnapshot().Held.ShouldBe(0, end);
        await transaction.DisposeAsync();
        await connection.DisposeAsync();
        test.Gate.GetSnapshot().Held.ShouldBe(0, "the permit goes back once");
        test.Enter();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Begin_InterruptedWhileItWaits_ThePermitThatComesLaterGoesBack(bool isStatement)
    {
        using var test = new TestGate(1);
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate, new GatedDataSourceOptions { AutoCommit = AutoCommitHandling.Count });
        TransactionLease held = test.Enter();
        using DbConnection connection = source.OpenConnection();
        var interrupted = new Interruptible(() =>
        {
            if (isStatement)
            {
                connection.CreateCommand().ExecuteNonQuery();
            }
            else
            {
                connection.BeginTransaction();
            }
        });
        Eventually.Be(() => test.Gate.GetSnapshot().Queued == 1, "it waits for a permit");

        interrupted.End();

        interrupted.WasInterrupted.ShouldBeTrue();
        held.Dispose();
        Eventually.Be(() => test.Gate.GetSnapshot() is { Held: 0, Queued: 0 }, "the permit is back");
        test.Enter();
    }

    [Theory]
    [InlineData("open")]
    [InlineData("begin")]
    public async Task Begin_ProviderFails_ThePermitGoesBack(string call)
    {
        using var test = new TestGate(1);
        await using var source = new GatedDataSource(new FakeDataSource { Fails = call }, test.Gate);
        using DbConnection connection = source.OpenConnection();

        Should.Throw<InvalidOperationException>(() => connection.BeginTransaction()).Message.ShouldBe($"{call} failed");
        (await Should.ThrowAsync<InvalidOperationException>(async () => await connection.BeginTransactionAsync())).Message.ShouldBe($"{call} failed");

        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Theory]
    [InlineData("commit")]
    [InlineData("rollback")]
    [InlineData("dispose")]
    public async Task End_ProviderFailsAndTheTransactionIsOver_ThePermitGoesBack(string call)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource { FailureEnds = true };
        await using var source = new GatedDataSource(inner, test.Gate);
        using DbConnection connection = source.OpenConnection();
        DbTransaction transaction = connection.BeginTransaction();
        inner.Fails = call;

        Should.Throw<InvalidOperationException>(call == "commit" ? transaction.Commit : call == "rollback" ? transaction.Rollback : transaction.Dispose);

        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public async Task Begin_FullGate_WaitsWithoutAConnection()
    {
        using var test = new TestGate(1);
        TransactionLease inside = test.Enter();
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        connection.State.ShouldBe(ConnectionState.Open);
        Task<DbTransaction> begin = connection.BeginTransactionAsync().AsTask();
        begin.IsCompleted.ShouldBeFalse();
        inner.Calls.ShouldBeEmpty();

        inside.Dispose();

        await using DbTransaction transaction = await begin.WaitAsync(Eventually.Patience);
        inner.Calls.ShouldBe(["open", "begin"]);
    }

    [Fact]
    public async Task Begin_Refused_ThrowsWithReasonAndRetryAfter()
    {
        using var test = new TestGate(1, static o => (o.Name, o.QueueLimit) = ("bank", 0));
        test.Enter();
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate);
        using DbConnection connection = source.OpenConnection();

        TransactionRefusedException refused = Should.Throw<TransactionRefusedException>(() => connection.BeginTransaction());

        (refused.Message, refused.Reason, refused.RetryAfter)
            .ShouldBe(("Gate 'bank': Too many transactions wait at the gate.", RefusalReason.QueueFull, TimeSpan.FromMilliseconds(100)));
    }

    [Fact]
    public async Task Begin_Cancelled_LeavesNothing()
    {
        using var test = new TestGate(1);
        test.Enter();
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        using var cancellation = new CancellationTokenSource();
        Task<DbTransaction> begin = connection.BeginTransactionAsync(cancellation.Token).AsTask();

        await cancellation.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(() => begin);
        test.Gate.GetSnapshot().Queued.ShouldBe(0);
    }

    [Fact]
    public async Task Begin_ClosedConnection_AsksForNoPermit()
    {
        using var test = new TestGate(1);
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate);
        using DbConnection connection = source.CreateConnection();
        Should.Throw<InvalidOperationException>(() => connection.BeginTransaction());
        await Should.ThrowAsync<InvalidOperationException>(async () => await connection.BeginTransactionAsync());
        test.Gate.GetSnapshot().Admitted.ShouldBe(0);
    }

    [Fact]
    public async Task Begin_InsideATransactionOfTheSameFlow_TakesNoSecondPermit()
    {
        using var test = new TestGate(1, static o => o.FlowsWithContext = true);
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate);
        await using DbConnection first = await source.OpenConnectionAsync();
        await using DbTransaction outer = await first.BeginTransactionAsync();
        await using DbConnection second = await source.OpenConnectionAsync();

        await using DbTransaction inner = await second.BeginTransactionAsync();

        test.Gate.GetSnapshot().Held.ShouldBe(1);
        test.Gate.GetSnapshot().Nested.ShouldBe(1);
    }

    [Fact]
    public async Task Statements_WithoutTransaction_PassAndOpenTheConnectionOnce()
    {
        using var test = new TestGate(1);
        test.Enter();
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using (DbConnection connection = await source.OpenConnectionAsync())
        {
            DbCommand command = connection.CreateCommand();
            command.ExecuteNonQuery().ShouldBe(1);
            (await command.ExecuteScalarAsync()).ShouldBe(1);
        }

        await using DbCommand alone = source.CreateCommand("select");
        await alone.ExecuteNonQueryAsync();
        inner.Calls.ShouldBe(["open", "execute", "execute", "close", "open", "execute select", "close"]);
    }

    [Fact]
    public async Task Command_OfATransaction_GetsTheProvidersOwn()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        using DbConnection connection = source.OpenConnection();
        using DbTransaction transaction = connection.BeginTransaction(IsolationLevel.Serializable);
        using DbCommand command = connection.CreateCommand();
        command.Transaction = transaction;
        command.ExecuteNonQuery();
        transaction.Save("s");
        transaction.Rollback("s");
        transaction.Release("s");
        transaction.IsolationLevel.ShouldBe(IsolationLevel.Serializable);
        transaction.Connection.ShouldBeSameAs(connection);
        command.Transaction.ShouldBeSameAs(transaction);
        command.Connection.ShouldBeSameAs(connection);
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        transaction.Commit();

        inner.Calls.ShouldBe(["open", "begin", "execute inside", "save s", "rollback s", "release s", "commit", "dispose"]);
    }

    [Fact]
    public async Task Cancel_ByAnAdministrator_EndsTheStatement()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate, new TransactionRequest { Name = "report" });
        using DbConnection connection = source.OpenConnection();
        using DbTransaction transaction = connection.BeginTransaction();
        using DbCommand command = connection.CreateCommand();
        command.ExecuteNonQuery();
        TransactionLeaseInfo lease = test.Gate.GetLeases().ShouldHaveSingleItem();
        lease.Name.ShouldBe("report");

        test.Gate.Cancel(lease.Id).ShouldBeTrue();

        inner.Calls.ShouldContain("cancel");
        transaction.Rollback();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Theory]
    [InlineData("commit")]
    [InlineData("rollback")]
    public async Task End_ProviderFailsAndTheTransactionIsOpen_KeepsThePermitUntilDispose(string call)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource { Fails = call };
        await using var source = new GatedDataSource(inner, test.Gate);
        using DbConnection connection = source.OpenConnection();
        DbTransaction transaction = connection.BeginTransaction();

        Should.Throw<InvalidOperationException>(call == "commit" ? transaction.Commit : transaction.Rollback);
        await Should.ThrowAsync<InvalidOperationException>(call == "commit" ? transaction.CommitAsync() : transaction.RollbackAsync());

        test.Gate.GetSnapshot().Held.ShouldBe(1);
        transaction.Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public async Task Cancel_BetweenStatements_LaterOnesAndTheCommitThrow()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = source.OpenConnection();
        DbTransaction transaction = connection.BeginTransaction();
        using DbCommand command = connection.CreateCommand();
        test.Gate.Cancel(test.Gate.GetLeases()[0].Id).ShouldBeTrue();

        Should.Throw<OperationCanceledException>(() => command.ExecuteNonQuery());
        await Should.ThrowAsync<OperationCanceledException>(() => command.ExecuteScalarAsync());
        Should.Throw<OperationCanceledException>(transaction.Commit);
        await Should.ThrowAsync<OperationCanceledException>(() => transaction.CommitAsync());

        inner.Calls.ShouldBe(["open", "begin"]);
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        transaction.Rollback();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
        command.ExecuteNonQuery().ShouldBe(1);
    }

    [Fact]
    public async Task Cancel_WhoseCallbackIsLate_LeavesTheNextTransactionAlone()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = source.OpenConnection();
        using DbCommand command = connection.CreateCommand();
        var cancelled = (GatedTransaction)connection.BeginTransaction();
        command.ExecuteNonQuery();
        cancelled.Rollback();
        using DbTransaction next = connection.BeginTransaction();
        command.ExecuteNonQuery();

        // As the token's callback does on a thread that was held up.
        cancelled.CancelRunning();

        inner.Calls.ShouldNotContain("cancel");
    }

    [Fact]
    public async Task Open_TwiceOrAfterABreak_IsAsWithTheProvider()
    {
        using var test = new TestGate(1);
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate);
        var connection = (GatedConnection)source.OpenConnection();
        Should.Throw<InvalidOperationException>(connection.Open);
        connection.CreateCommand().ExecuteNonQuery();
        ((FakeConnection)connection.Provider).Break();
        connection.State.ShouldBe(ConnectionState.Closed);
        connection.Open();
        connection.CreateCommand().ExecuteNonQuery();
        connection.State.ShouldBe(ConnectionState.Open);
        await connection.DisposeAsync();
        connection.State.ShouldBe(ConnectionState.Closed);
    }

    /// <summary>As with a provider's own data source; one that is open goes on.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task Source_Disposed_OpensNoConnection(bool keeps, bool isAsync)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        var source = new GatedDataSource(inner, test.Gate, new GatedDataSourceOptions { KeepsConnections = keeps, ResetStatement = "" });
        DbConnection used = await source.OpenConnectionAsync();
        await used.CreateCommand().ExecuteNonQueryAsync();
        DbConnection unused = await source.OpenConnectionAsync();
        DbCommand command = source.CreateCommand("SELECT 1");

        await (isAsync ? source.DisposeAsync().AsTask() : Do(source.Dispose));

        await Should.ThrowAsync<ObjectDisposedException>(() => source.CreateConnection().OpenAsync());
        Should.Throw<ObjectDisposedException>(source.OpenConnection);
        await Should.ThrowAsync<ObjectDisposedException>(() => command.ExecuteNonQueryAsync());
        Should.Throw<ObjectDisposedException>(() => unused.CreateCommand().ExecuteNonQuery());
        await Should.ThrowAsync<ObjectDisposedException>(async () => await unused.BeginTransactionAsync());
        inner.Calls.Count(static call => call == "open").ShouldBe(1);
        await using (DbTransaction transaction = await used.BeginTransactionAsync())
        {
            await transaction.CommitAsync();
        }

        await used.CloseAsync();
        await Should.ThrowAsync<ObjectDisposedException>(() => used.OpenAsync());
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public void Options_NothingSet_AreThoseThatAreDocumented()
    {
        var options = new GatedDataSourceOptions();
        (options.KeepsConnections, options.ResetStatement, options.AutoCommit).ShouldBe((false, null, AutoCommitHandling.Pass));
        (options.IdleTimeout, options.ValidateAfter).ShouldBe((TimeSpan.FromSeconds(60), TimeSpan.FromMilliseconds(500)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Command_DesignTimeVisible_IsWhatItWasSetTo(bool isVisible)
    {
        using var test = new TestGate(1);
        using var source = new GatedDataSource(new FakeDataSource(), test.Gate, new GatedDataSourceOptions());
        using DbConnection connection = source.CreateConnection();
        using DbCommand command = connection.CreateCommand();
        command.DesignTimeVisible = isVisible;
        command.DesignTimeVisible.ShouldBe(isVisible);
    }

    private static Task Do(Action action)
    {
        action();
        return Task.CompletedTask;
    }
}
