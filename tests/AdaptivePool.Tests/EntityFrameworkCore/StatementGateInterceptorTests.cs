using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.EntityFrameworkCore;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.EntityFrameworkCore;

public sealed class StatementGateInterceptorTests
{
    /// <summary>A loop over a query's rows that saves each, with a provider that can run statements beside an open reader.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Connection_WhoseQueryHoldsAPermit_NeedsNoSecondOne(bool isAsync)
    {
        using var test = new TestGate(1);
        using var connection = new FakeConnection(new FakeDataSource());
        connection.Open();
        var statements = new StatementGateInterceptor(test.Gate, default, AutoCommitHandling.Count);
        var transactions = new TransactionGateInterceptor(test.Gate, default);
        DbCommand query = connection.CreateCommand();
        statements.ReaderExecuting(query, null!, default);
        await Task.Run(async () =>
        {
            DbCommand write = connection.CreateCommand();
            _ = isAsync ? await statements.NonQueryExecutingAsync(write, null!, default) : statements.NonQueryExecuting(write, null!, default);
            statements.NonQueryExecuted(write, null!, 1);
            _ = isAsync ? await transactions.TransactionStartingAsync(connection, Starting(), default)
                : transactions.TransactionStarting(connection, Starting(), default);
        }).WaitAsync(TestGate.Patience);
        test.Gate.GetSnapshot().Held.ShouldBe(1);

        statements.DataReaderDisposing(query, null!, default);
        test.Gate.GetSnapshot().Held.ShouldBe(1, "the transaction has not ended");
        transactions.ConnectionClosed(connection, null!);
        test.Gate.GetSnapshot().Held.ShouldBe(0);

        test.Enter();
        DbCommand late = connection.CreateCommand();
        Task waits = statements.ReaderExecutingAsync(late, null!, default).AsTask();
        waits.IsCompleted.ShouldBeFalse("no query of the connection holds a permit");
    }

    private static Microsoft.EntityFrameworkCore.Diagnostics.TransactionStartingEventData Starting() =>
        new(null!, null!, null, System.Data.IsolationLevel.Unspecified, default, default, false, default);
}
