using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Tests.Admission.Fakes;

namespace AdaptivePool.Tests.Admission;

/// <summary>Statements outside a transaction.</summary>
public sealed class GatedDataSourceAutoCommitTests
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

        (await running.WaitAsync(TestGate.Patience)).ShouldBe(1);
        test.Gate.GetSnapshot().Held.ShouldBe(0);
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

    [Fact]
    public async Task Transaction_StatementFails_CountsAsFailedUnlessItCommits()
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        var inner = new FakeDataSource { Fails = "execute" };
        await using GatedDataSource source = Source(test, AutoCommitHandling.Pass, inner);
        await using DbConnection connection = await source.OpenConnectionAsync();
        for (int i = 0; i < 3; i++)
        {
            DbTransaction transaction = await connection.BeginTransactionAsync();
            if (i < 2)
            {
                await Should.ThrowAsync<InvalidOperationException>(() => connection.CreateCommand().ExecuteNonQueryAsync());
            }

            await (i == 0 ? transaction.CommitAsync() : transaction.RollbackAsync());
        }

        AdaptiveLimitSnapshot state = test.Gate.GetSnapshot().Adaptive!;
        (state.Ended, state.Failed).ShouldBe((2, 1));
    }

    private static GatedDataSource Source(TestGate test, AutoCommitHandling autoCommit, FakeDataSource? inner = null) =>
        new(inner ?? new FakeDataSource(), test.Gate, new GatedDataSourceOptions { AutoCommit = autoCommit });
}
