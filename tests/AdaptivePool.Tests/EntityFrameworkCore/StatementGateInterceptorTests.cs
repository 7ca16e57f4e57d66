using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.EntityFrameworkCore;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace AdaptivePool.Tests.EntityFrameworkCore;

public sealed class StatementGateInterceptorTests
{
    private const int Result = 7;

    private static readonly (string Name, Func<StatementGateInterceptor, DbCommand, Task> Say)[] s_begins =
    [
        ("a reader", static (it, command) => Said(it.ReaderExecuting(command, null!, default))),
        ("a reader, asynchronously", static (it, command) => it.ReaderExecutingAsync(command, null!, default).AsTask()),
        ("a scalar", static (it, command) => Said(it.ScalarExecuting(command, null!, default))),
        ("a scalar, asynchronously", static (it, command) => it.ScalarExecutingAsync(command, null!, default).AsTask()),
        ("no query", static (it, command) => Said(it.NonQueryExecuting(command, null!, default))),
        ("no query, asynchronously", static (it, command) => it.NonQueryExecutingAsync(command, null!, default).AsTask()),
    ];

    /// <summary>All ways in which the framework says that a statement has ended, and whether it has failed; a result is handed on.</summary>
    private static readonly (string Name, bool HasFailed, Func<StatementGateInterceptor, DbCommand, object?> Say)[] s_ends =
    [
        ("a scalar", false, static (it, command) => it.ScalarExecuted(command, null!, Result)),
        ("a scalar, asynchronously", false, static (it, command) => it.ScalarExecutedAsync(command, null!, Result).Result),
        ("no query", false, static (it, command) => it.NonQueryExecuted(command, null!, Result)),
        ("no query, asynchronously", false, static (it, command) => it.NonQueryExecutedAsync(command, null!, Result).Result),
        ("a reader", false, static (it, command) => (it.DataReaderDisposing(command, null!, default), Result).Result),
        ("failed", true, static (it, command) => Said(() => it.CommandFailed(command, null!))),
        ("failed, asynchronously", true, static (it, command) => Said(() => it.CommandFailedAsync(command, null!))),
        ("cancelled", true, static (it, command) => Said(() => it.CommandCanceled(command, null!))),
        ("cancelled, asynchronously", true, static (it, command) => Said(() => it.CommandCanceledAsync(command, null!))),
    ];

    public static TheoryData<string> Begins => [.. s_begins.Select(static begin => begin.Name)];

    public static TheoryData<string> Ends => [.. s_ends.Select(static end => end.Name)];

    [Theory]
    [MemberData(nameof(Begins))]
    public async Task Statement_Begins_HasAPermit(string name)
    {
        using var test = new TestGate(1);
        using var connection = new FakeConnection(new FakeDataSource());
        connection.Open();
        var statements = new StatementGateInterceptor(test.Gate, default, AutoCommitHandling.Count);
        await s_begins.Single(begin => begin.Name == name).Say(statements, connection.CreateCommand());
        test.Gate.GetSnapshot().Held.ShouldBe(1);
    }

    /// <summary>Such as by a cache of results.</summary>
    [Fact]
    public async Task Statement_AnsweredByAnotherInterceptor_NeedsNoPermit()
    {
        using var test = new TestGate(1, static options => options.QueueLimit = 0);
        using var connection = new FakeConnection(new FakeDataSource());
        var statements = new StatementGateInterceptor(test.Gate, default, AutoCommitHandling.Count);
        test.Enter();

        using DbCommand command = connection.CreateCommand();
        statements.NonQueryExecuting(command, null!, InterceptionResult<int>.SuppressWithResult(Result)).Result.ShouldBe(Result);
        (await statements.ScalarExecutingAsync(command, null!, InterceptionResult<object>.SuppressWithResult(Result))).Result.ShouldBe(Result);
    }

    /// <summary>The framework fetches keys (HiLo) with a lock for which a transaction inside the gate may wait. It names no context there.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Statement_WithoutAContext_NeverWaits(bool isAsync)
    {
        using var test = new TestGate(1, static options => options.QueueLimit = 0);
        using var connection = new FakeConnection(new FakeDataSource());
        var statements = new StatementGateInterceptor(test.Gate, default, AutoCommitHandling.Count);
        test.Enter();

        using DbCommand command = connection.CreateCommand();
        var keys = new CommandEventData(
            null!, null!, connection, command, "", null, DbCommandMethod.ExecuteScalar, default, default, isAsync, false, default, CommandSource.Unknown);
        InterceptionResult<object> result = isAsync ? await statements.ScalarExecutingAsync(command, keys, default)
            : statements.ScalarExecuting(command, keys, default);

        result.HasResult.ShouldBeFalse("the provider runs it");
    }

    /// <summary>Its rows failed while the framework buffered them for a retry, or the rest of them as the reader closed: no interceptor is told.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Query_WhoseReaderClosesWithoutAWord_EndsWithTheNextStatementOfItsConnection(bool isAsync)
    {
        using var test = new TestGate(1);
        var source = new FakeDataSource();
        using var connection = new FakeConnection(source);
        connection.Open();
        var statements = new StatementGateInterceptor(test.Gate, default, AutoCommitHandling.Count);
        using DbCommand query = connection.CreateCommand();
        using var reader = new FakeReader(source);
        statements.ReaderExecuting(query, null!, default);
        _ = isAsync ? await statements.ReaderExecutedAsync(query, null!, reader) : statements.ReaderExecuted(query, null!, reader);
        reader.Close();

        using DbCommand next = connection.CreateCommand();
        statements.NonQueryExecuting(next, null!, default);
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        statements.NonQueryExecuted(next, null!, 1);

        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public void Statement_Ends_ItsPermitGoesBackWithHowItEnded(string name)
    {
        (_, bool hasFailed, Func<StatementGateInterceptor, DbCommand, object?> say) = s_ends.Single(end => end.Name == name);
        using var test = new TestGate(1, static options => options.Adaptive = true);
        using var connection = new FakeConnection(new FakeDataSource());
        connection.Open();
        var statements = new StatementGateInterceptor(test.Gate, default, AutoCommitHandling.Count);
        DbCommand command = connection.CreateCommand();
        statements.NonQueryExecuting(command, null!, default);
        test.Gate.GetSnapshot().Held.ShouldBe(1);

        say(statements, command).ShouldBe(Result);
        GateSnapshot end = test.Gate.GetSnapshot();
        (end.Held, end.Adaptive!.Failed, end.Adaptive.Ended).ShouldBe(hasFailed ? (0, 1, 0) : (0, 0, 1));
    }

    /// <summary>Npgsql says of a connection that broke that it is closed. One that its user closes has not failed.</summary>
    [Theory]
    [InlineData("a statement that counts")]
    [InlineData("a statement inside a transaction")]
    public void Connection_ClosesInTheMiddleOfACall_HasFailed(string call)
    {
        foreach (bool isOver in new[] { false, true })
        {
            using var test = new TestGate(1, static options => options.Adaptive = true);
            using var connection = new FakeConnection(new FakeDataSource());
            connection.Open();
            var statements = new StatementGateInterceptor(test.Gate, default, AutoCommitHandling.Count);
            var transactions = new TransactionGateInterceptor(test.Gate, default);
            using DbCommand command = connection.CreateCommand();
            if (call != "a statement that counts")
            {
                command.Transaction = transactions.TransactionStarting(connection, Starting(), default).Result;
            }

            statements.ReaderExecuting(command, null!, default);
            _ = isOver ? statements.ReaderExecuted(command, null!, null!) : null;
            connection.Break();

            GateSnapshot end = test.Gate.GetSnapshot();
            (end.Held, end.Adaptive!.Failed, end.Adaptive.Ended).ShouldBe(isOver ? (0, 0, 1) : (0, 1, 0));
        }
    }

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
        }).WaitAsync(Eventually.Patience);
        test.Gate.GetSnapshot().Held.ShouldBe(1);

        statements.DataReaderDisposing(query, null!, default);
        test.Gate.GetSnapshot().Held.ShouldBe(1, "the transaction has not ended");
        connection.Close();
        test.Gate.GetSnapshot().Held.ShouldBe(0);

        test.Enter();
        DbCommand late = connection.CreateCommand();
        Task waits = statements.ReaderExecutingAsync(late, null!, default).AsTask();
        waits.IsCompleted.ShouldBeFalse("no query of the connection holds a permit");
    }

    private static Task Said<T>(T _) => Task.CompletedTask;

    private static object Said(Action say)
    {
        say();
        return Result;
    }

    private static TransactionStartingEventData Starting() =>
        new(null!, null!, null, System.Data.IsolationLevel.Unspecified, default, default, false, default);
}
