using System.Data.Common;
using System.Transactions;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

/// <summary>Statements outside a transaction.</summary>
public sealed partial class GatedDataSourceAutoCommitTests
{
    [Fact]
    public async Task Statement_Passing_NeedsNoPermit()
    {
        using var test = new TestGate(1);
        test.Enter();
        await using GatedDataSource source = Source(test, AutoCommitHandling.Pass);
        using DbConnection connection = source.OpenConnection();
        connection.CreateCommand().ExecuteNonQuery().ShouldBe(1);
        connection.CreateCommand().ExecuteReader().GetType().Name.ShouldNotBe("GatedReader");
    }

    [Fact]
    public async Task Statement_Counting_WaitsForAPermitAndGivesItBack()
    {
        using var test = new TestGate(1);
        TransactionLease inside = test.Enter();
        var inner = new FakeDataSource();
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count, inner);
        await using DbConnection connection = await source.OpenConnectionAsync();
        Task<int> running = connection.CreateCommand().ExecuteNonQueryAsync();
        running.IsCompleted.ShouldBeFalse();
        inner.Calls.ShouldBeEmpty();

        inside.Dispose();

        (await running.WaitAsync(Eventually.Patience)).ShouldBe(1);
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    /// <summary>It waited with the locks of its transaction, and the one inside the gate waited for these.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Statement_CountingInsideATransactionOfTheSystem_NeverWaits(bool isKept)
    {
        using var test = new TestGate(1, static options => options.QueueLimit = 0);
        using TransactionLease inside = test.Enter();
        var options = new GatedDataSourceOptions { AutoCommit = AutoCommitHandling.Count, KeepsConnections = isKept, ResetStatement = "" };
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate, options, test.Clock);
        await using DbConnection connection = await source.OpenConnectionAsync();
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            connection.CreateCommand().ExecuteNonQuery().ShouldBe(1);
            (await connection.CreateCommand().ExecuteNonQueryAsync()).ShouldBe(1);
            scope.Complete();
        }

        Should.Throw<TransactionRefusedException>(() => connection.CreateCommand().ExecuteNonQuery(), "the scope is over, the connection goes on");
        test.Gate.GetSnapshot().Held.ShouldBe(1);
    }

    /// <summary>Most providers refuse it, and say so at once. One that does not enlist begins it, and it takes no permit either.</summary>
    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task Begin_InsideATransactionOfTheSystem_NeverWaits(bool isAsync, bool isKept)
    {
        using var test = new TestGate(1, static options => options.QueueLimit = 0);
        using TransactionLease inside = test.Enter();
        var options = new GatedDataSourceOptions { AutoCommit = AutoCommitHandling.Count, KeepsConnections = isKept, ResetStatement = "" };
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate, options, test.Clock);
        await using DbConnection connection = await source.OpenConnectionAsync();
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            inner.Fails = "begin";
            (await Should.ThrowAsync<InvalidOperationException>(() => BeginAsync(connection, isAsync))).Message.ShouldBe("begin failed");
            inner.Fails = null;
            DbTransaction transaction = await BeginAsync(connection, isAsync);
            connection.CreateCommand().ExecuteNonQuery().ShouldBe(1);
            await transaction.CommitAsync();
            await (await BeginAsync(connection, isAsync)).DisposeAsync();
        }

        inner.Calls.ShouldBe(["open", "begin", "begin", "execute", "commit", "dispose", "begin", "dispose"]);
        await Should.ThrowAsync<TransactionRefusedException>(() => BeginAsync(connection, isAsync), "the scope is over, the connection goes on");
        test.Gate.GetSnapshot().Held.ShouldBe(1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Connection_FirstUsedInACompletedScope_IsLeftToTheProvider(bool isKept)
    {
        using var test = new TestGate(1, static options => options.QueueLimit = 0);
        using TransactionLease inside = test.Enter();
        var options = new GatedDataSourceOptions { AutoCommit = AutoCommitHandling.Count, KeepsConnections = isKept, ResetStatement = "" };
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate, options, test.Clock);
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            scope.Complete();
            await using DbConnection connection = await source.OpenConnectionAsync();
            (await connection.CreateCommand().ExecuteNonQueryAsync()).ShouldBe(1);
            connection.BeginTransaction().Dispose();
        }

        inner.Calls.ShouldBe(["open", "execute", "begin", "dispose", "close"]);
    }

    /// <summary>It takes no part in the scope, which may hold locks on another connection.</summary>
    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task Connection_UsedBeforeATransactionOfTheSystem_NeverWaitsInsideIt(bool isAsync, bool isKept)
    {
        using var test = new TestGate(1, static options => options.QueueLimit = 0);
        var options = new GatedDataSourceOptions { AutoCommit = AutoCommitHandling.Count, KeepsConnections = isKept, ResetStatement = "" };
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate, options, test.Clock);
        await using DbConnection connection = await source.OpenConnectionAsync();
        await RunAsync(connection, isAsync);
        using TransactionLease inside = test.Enter();
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await RunAsync(connection, isAsync);
            await (await BeginAsync(connection, isAsync)).CommitAsync();
            scope.Complete();
            await RunAsync(connection, isAsync);
            await (await BeginAsync(connection, isAsync)).CommitAsync();
        }

        await Should.ThrowAsync<TransactionRefusedException>(() => RunAsync(connection, isAsync), "the scope is over");
        await Should.ThrowAsync<TransactionRefusedException>(() => BeginAsync(connection, isAsync), "the scope is over");
        test.Gate.GetSnapshot().Held.ShouldBe(1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Query_Counting_HoldsItsPermitUntilTheReaderIsClosed(bool isAsync)
    {
        using var test = new TestGate(1);
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count);
        await using DbConnection connection = await source.OpenConnectionAsync();
        DbDataReader reader = isAsync ? await connection.CreateCommand().ExecuteReaderAsync() : connection.CreateCommand().ExecuteReader();
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        reader.Read().ShouldBeTrue();
        reader.GetInt32(0).ShouldBe(1);
        reader.Read().ShouldBeFalse();
        test.Gate.GetSnapshot().Held.ShouldBe(1);

        if (isAsync)
        {
            await reader.DisposeAsync();
        }
        else
        {
            reader.Dispose();
        }

        test.Gate.GetSnapshot().Held.ShouldBe(0);
        reader.Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Theory]
    [InlineData(false, 0)]
    [InlineData(true, 1)]
    public async Task Query_CountingWhoseConnectionEnds_GivesItsPermitBackOnce(bool breaks, long failed)
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count);
        var connection = (GatedConnection)source.OpenConnection();
        DbDataReader reader = connection.CreateCommand().ExecuteReader();
        if (breaks)
        {
            ((FakeConnection)connection.Provider).Break();
        }
        else
        {
            connection.Dispose();
        }

        GateSnapshot end = test.Gate.GetSnapshot();
        (end.Held, end.Adaptive!.Failed, end.Adaptive.Ended).ShouldBe((0, failed, 1 - failed));
        TransactionLease next = test.Enter();
        reader.Dispose();
        connection.Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        next.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Query_CountingWhoseRowsFail_GivesItsPermitBackAsFailed(bool isAsync)
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        var inner = new FakeDataSource { Fails = "read" };
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count, inner);
        await using DbConnection connection = await source.OpenConnectionAsync();
        foreach (bool isNextResult in new[] { false, true })
        {
            DbDataReader reader = connection.CreateCommand().ExecuteReader();
            await Should.ThrowAsync<InvalidOperationException>(async () => _ = (isAsync, isNextResult) switch
            {
                (false, false) => reader.Read(),
                (false, true) => reader.NextResult(),
                (true, false) => await reader.ReadAsync(),
                _ => await reader.NextResultAsync(),
            });
            await reader.DisposeAsync();
        }

        GateSnapshot end = test.Gate.GetSnapshot();
        (end.Held, end.Adaptive!.Failed, end.Adaptive.Ended).ShouldBe((0, 2, 0));
    }

    [Fact]
    public async Task Statement_CountingInsideATransaction_IsPartOfIt()
    {
        using var test = new TestGate(1);
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count);
        await using DbConnection connection = await source.OpenConnectionAsync();
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        (await connection.CreateCommand().ExecuteNonQueryAsync()).ShouldBe(1);
        test.Gate.GetSnapshot().Held.ShouldBe(1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Connection_WhoseReaderHoldsAPermit_NeedsNoSecondOne(bool isAsync)
    {
        using var test = new TestGate(1);
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count);
        await using DbConnection connection = await source.OpenConnectionAsync();
        DbDataReader reader = connection.CreateCommand().ExecuteReader();
        await Task.Run(async () =>
        {
            DbDataReader second = isAsync ? await connection.CreateCommand().ExecuteReaderAsync() : connection.CreateCommand().ExecuteReader();
            _ = isAsync ? await connection.CreateCommand().ExecuteNonQueryAsync() : connection.CreateCommand().ExecuteNonQuery();
            DbTransaction transaction = isAsync ? await connection.BeginTransactionAsync() : connection.BeginTransaction();
            (test.Gate.GetSnapshot().Held, test.Gate.GetSnapshot().Nested).ShouldBe((1, 3));
            reader.Dispose();
            transaction.Commit();
            test.Gate.GetSnapshot().Held.ShouldBe(1);
            second.Dispose();
        }).WaitAsync(Eventually.Patience);

        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public async Task Cancel_OfAStatementThatCounts_EndsItAndItsReader()
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count, inner);
        await using DbConnection connection = await source.OpenConnectionAsync();
        DbDataReader reader = connection.CreateCommand().ExecuteReader();
        long id = test.Gate.GetLeases().ShouldHaveSingleItem().Id;

        test.Gate.Cancel(id).ShouldBeTrue();

        inner.Calls.Count(static call => call == "cancel").ShouldBe(1);
        Should.Throw<OperationCanceledException>(() => reader.Read());
        await Should.ThrowAsync<OperationCanceledException>(() => reader.ReadAsync());
        await Should.ThrowAsync<OperationCanceledException>(() => connection.CreateCommand().ExecuteNonQueryAsync());
        reader.Dispose();
        test.Gate.Cancel(id).ShouldBeFalse();
        connection.CreateCommand().ExecuteNonQuery().ShouldBe(1);
        GateSnapshot end = test.Gate.GetSnapshot();
        (end.Held, end.Adaptive!.Failed, end.Adaptive.Ended).ShouldBe((0, 1, 1));
    }

    [Fact]
    public async Task Cancel_OfAStatementThatRuns_EndsItAndNotTheNext()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource { Executing = () => test.Gate.Cancel(test.Gate.GetLeases()[0].Id) };
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count, inner);
        await using DbConnection connection = await source.OpenConnectionAsync();
        connection.CreateCommand().ExecuteNonQuery();
        inner.Calls.ShouldBe(["open", "execute", "cancel"]);
        inner.Executing = null;
        (await connection.CreateCommand().ExecuteNonQueryAsync()).ShouldBe(1);
        inner.Calls.ShouldBe(["open", "execute", "cancel", "execute"]);
    }

    [Fact]
    public async Task Statement_CountingGivesUpWhileItWaits_LeavesNothing()
    {
        using var test = new TestGate(1);
        TransactionLease inside = test.Enter();
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count);
        await using DbConnection connection = await source.OpenConnectionAsync();
        using var cancellation = new CancellationTokenSource();
        Task running = connection.CreateCommand().ExecuteReaderAsync(cancellation.Token);
        Task closing = connection.CreateCommand().ExecuteNonQueryAsync(CancellationToken.None);

        await cancellation.CancelAsync();
        await connection.CloseAsync();
        inside.Dispose();

        await Should.ThrowAsync<OperationCanceledException>(() => running);
        await Should.ThrowAsync<InvalidOperationException>(() => closing.WaitAsync(Eventually.Patience));
        (test.Gate.GetSnapshot().Queued, test.Gate.GetSnapshot().Held).ShouldBe((0, 0));
        await connection.OpenAsync();
        (await connection.CreateCommand().ExecuteNonQueryAsync()).ShouldBe(1);
    }

    [Fact]
    public async Task Statement_CountingFails_GivesItsPermitBackAsFailed()
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        var inner = new FakeDataSource { Fails = "execute" };
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count, inner);
        await using DbConnection connection = await source.OpenConnectionAsync();
        await Should.ThrowAsync<InvalidOperationException>(() => connection.CreateCommand().ExecuteNonQueryAsync());
        Should.Throw<InvalidOperationException>(() => connection.CreateCommand().ExecuteNonQuery());

        GateSnapshot end = test.Gate.GetSnapshot();
        (end.Held, end.Adaptive!.Failed, end.Adaptive.Ended).ShouldBe((0, 2, 0));
    }

    /// <summary>A second transaction that the provider refuses is a call of the first one's connection that fails, as a statement is.</summary>
    [Theory]
    [InlineData("execute")]
    [InlineData("begin")]
    public async Task Transaction_StatementFails_CountsAsFailedUnlessItCommits(string fails)
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Source(test, AutoCommitHandling.Pass, inner);
        await using DbConnection connection = await source.OpenConnectionAsync();
        for (int i = 0; i < 3; i++)
        {
            DbTransaction transaction = await connection.BeginTransactionAsync();
            inner.Fails = fails;
            if (i < 2)
            {
                await Should.ThrowAsync<InvalidOperationException>(() =>
                    fails == "begin" ? connection.BeginTransactionAsync().AsTask() : connection.CreateCommand().ExecuteNonQueryAsync());
            }

            inner.Fails = null;
            await (i == 0 ? transaction.CommitAsync() : transaction.RollbackAsync());
        }

        AdaptiveLimitSnapshot state = test.Gate.GetSnapshot().Adaptive!;
        (state.Ended, state.Failed).ShouldBe((2, 1));
    }

    private static async Task RunAsync(DbConnection connection, bool isAsync) =>
        (isAsync ? await connection.CreateCommand().ExecuteNonQueryAsync() : connection.CreateCommand().ExecuteNonQuery()).ShouldBe(1);

    private static async Task<DbTransaction> BeginAsync(DbConnection connection, bool isAsync) =>
        isAsync ? await connection.BeginTransactionAsync() : connection.BeginTransaction();

    private static GatedDataSource Source(TestGate test, AutoCommitHandling autoCommit, FakeDataSource? inner = null) =>
        new(inner ?? new FakeDataSource(), test.Gate, new GatedDataSourceOptions { AutoCommit = autoCommit });
}
