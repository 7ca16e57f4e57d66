using System.Data;
using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

public sealed partial class GatedConnectionTests
{
    /// <summary>It is a mistake of the user's, who has waited for a permit that only the first transaction could give back.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Begin_InsideATransactionOfTheConnectionAtAFullGate_FailsAtOnceAsWithTheProvider(bool isAsync)
    {
        using var test = new TestGate(1, static options => options.FlowsWithContext = false);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        DbTransaction first = await connection.BeginTransactionAsync();
        inner.Fails = "begin";

        Task second = Task.Run(async () => _ = isAsync ? await connection.BeginTransactionAsync() : connection.BeginTransaction());

        (await Should.ThrowAsync<InvalidOperationException>(() => second.WaitAsync(Eventually.Patience))).Message.ShouldBe("begin failed");
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        await first.CommitAsync();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    /// <summary>It waited for the permit that the first one got, and both for their caller, who awaited both.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Begin_BesideOneThatWaits_FailsAtOnce(bool isAsync)
    {
        using var test = new TestGate(1);
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        TransactionLease held = test.Enter();
        Task<DbTransaction> first = connection.BeginTransactionAsync().AsTask();

        Task second = Task.Run(async () => _ = isAsync ? await connection.BeginTransactionAsync() : connection.BeginTransaction());

        (await Should.ThrowAsync<InvalidOperationException>(() => second.WaitAsync(Eventually.Patience))).Message.ShouldContain("about to begin");
        test.Gate.GetSnapshot().Queued.ShouldBe(1);
        held.Dispose();
        await (await first.WaitAsync(Eventually.Patience)).CommitAsync();
        await using DbTransaction next = await connection.BeginTransactionAsync();
        test.Gate.GetSnapshot().Held.ShouldBe(1);
    }

    /// <summary>Each opened the provider's connection, which throws then, and may lose all sessions but one.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task Statements_FirstOfAConnectionAtOnce_OneOpensTheProviders(bool isAsync, bool isKept)
    {
        using var test = new TestGate(4);
        var inner = new SlowDataSource();
        await using var source = new GatedDataSource(
            inner, test.Gate, new GatedDataSourceOptions { KeepsConnections = isKept, ResetStatement = isKept ? "" : null });
        await using DbConnection connection = await source.OpenConnectionAsync();
        Task<int> first = connection.CreateCommand().ExecuteNonQueryAsync();
        Task<DbTransaction> second = BeginAsync(connection, isAsync);
        Eventually.Be(() => test.Gate.GetSnapshot().Held == 1, "the second has its permit");

        TaskCompletionSource opening = inner.Next();
        inner.Opening.ShouldBeEmpty();
        opening.SetResult();

        await first.WaitAsync(Eventually.Patience);
        await using DbTransaction begun = await second.WaitAsync(Eventually.Patience);
        inner.Calls.Count(static call => call == "open").ShouldBe(1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Statements_FirstOfAConnectionAtOnce_AllAreToldThatItDoesNotOpen(bool isAsync)
    {
        using var test = new TestGate(4);
        var inner = new SlowDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        Task<int> first = connection.CreateCommand().ExecuteNonQueryAsync();
        Thread? caller = null;
        Task<DbTransaction> second = isAsync ? BeginAsync(connection, isAsync) : Task.Factory.StartNew(
            () =>
            {
                caller = Thread.CurrentThread;
                return connection.BeginTransaction();
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        Eventually.Be(() => test.Gate.GetSnapshot().Held == 1, "the second has its permit");
        Eventually.Be(() => isAsync || caller!.ThreadState.HasFlag(ThreadState.WaitSleepJoin), "it waits for the first one's opening");

        inner.Next().SetException(new InvalidOperationException("refused"));

        (await Should.ThrowAsync<InvalidOperationException>(() => first.WaitAsync(Eventually.Patience))).Message.ShouldBe("refused");
        (await Should.ThrowAsync<InvalidOperationException>(() => second.WaitAsync(Eventually.Patience))).Message.ShouldBe("refused");
        test.Gate.GetSnapshot().Held.ShouldBe(0);
        Task<int> again = connection.CreateCommand().ExecuteNonQueryAsync();
        inner.Next().SetResult();
        await again.WaitAsync(Eventually.Patience);
    }

    [Fact]
    public async Task Statements_FirstOfAConnectionAtOnceAndOneIsCancelled_TheNextOpensTheProviders()
    {
        using var test = new TestGate(4);
        var inner = new SlowDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        using var cancelled = new CancellationTokenSource();
        Task<int> first = connection.CreateCommand().ExecuteNonQueryAsync(cancelled.Token);
        Task<int> second = connection.CreateCommand().ExecuteNonQueryAsync();
        await cancelled.CancelAsync();
        inner.Next().SetCanceled(cancelled.Token);

        await Should.ThrowAsync<OperationCanceledException>(() => first.WaitAsync(Eventually.Patience));
        Eventually.Be(() => inner.Opening.Count == 1, "the next one opens");
        inner.Next().SetResult();
        await second.WaitAsync(Eventually.Patience);
    }

    /// <summary>What it opens is closed before the next use opens the same connection of the provider.</summary>
    [Fact]
    public async Task Connection_ClosedAndOpenedWhileAStatementOpensTheProviders_TheNextStatementWaits()
    {
        using var test = new TestGate(4);
        var inner = new SlowDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        Task<int> late = connection.CreateCommand().ExecuteNonQueryAsync();
        await connection.CloseAsync();
        await connection.OpenAsync();
        Task<int> next = connection.CreateCommand().ExecuteNonQueryAsync();
        inner.Opening.Count.ShouldBe(1);

        inner.Next().SetResult();

        await Should.ThrowAsync<InvalidOperationException>(() => late.WaitAsync(Eventually.Patience));
        Eventually.Be(() => inner.Opening.Count == 1, "the next one opens");
        inner.Calls.ShouldBe(["open", "close"]);
        inner.Next().SetResult();
        await next.WaitAsync(Eventually.Patience);
    }

    private static Task CloseAsync(DbConnection connection, bool isAsync)
    {
        if (isAsync)
        {
            return connection.CloseAsync();
        }

        connection.Close();
        return Task.CompletedTask;
    }

    private static Task<DbTransaction> BeginAsync(DbConnection connection, bool isAsync) =>
        isAsync ? connection.BeginTransactionAsync().AsTask() : Task.Run(connection.BeginTransaction);

    /// <summary>It waited at the gate for what it could not use.</summary>
    [Theory]
    [InlineData("begin", false, false)]
    [InlineData("begin", true, false)]
    [InlineData("begin", true, true)]
    [InlineData("execute", false, false)]
    [InlineData("execute", true, false)]
    [InlineData("execute", true, true)]
    public async Task Connection_Broken_DoesNotAskTheGate(string call, bool isAsync, bool isSilent)
    {
        using var test = new TestGate(1, static options => options.FlowsWithContext = false);
        var inner = new FakeDataSource { IsSilent = isSilent };
        await using var source = new GatedDataSource(inner, test.Gate, new GatedDataSourceOptions { AutoCommit = AutoCommitHandling.Count });
        await using DbConnection connection = await source.OpenConnectionAsync();
        await connection.CreateCommand().ExecuteNonQueryAsync();
        ((FakeConnection)((GatedConnection)connection).Provider).Break();
        using TransactionLease held = test.Enter();
        inner.Fails = call;

        Task late = call == "begin" ? BeginAsync(connection, isAsync)
            : isAsync ? connection.CreateCommand().ExecuteNonQueryAsync() : Task.Run(connection.CreateCommand().ExecuteNonQuery);

        (await Should.ThrowAsync<InvalidOperationException>(() => late.WaitAsync(Eventually.Patience))).Message.ShouldBe($"{call} failed");
    }

    /// <summary>Npgsql's own close hangs there for good in most cases.</summary>
    [Theory]
    [InlineData("execute inside")]
    [InlineData("save x")]
    [InlineData("row")]
    public async Task Close_ThatHangsInTheProviderBesideACall_LeavesThePermitToTheCall(string call)
    {
        using var test = new TestGate(1, static options => options.FlowsWithContext = false);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate, new GatedDataSourceOptions { AutoCommit = AutoCommitHandling.Count });
        DbConnection connection = await source.OpenConnectionAsync();
        using DbCommand command = connection.CreateCommand();
        DbTransaction? transaction = call == "row" ? null : await connection.BeginTransactionAsync();
        command.Transaction = transaction;
        DbDataReader? reader = call == "row" ? await command.ExecuteReaderAsync() : null;
        using ManualResetEventSlim hangs = new();
        using ManualResetEventSlim ends = new();
        Task? closing = null;
        inner.Noted = noted =>
        {
            if (noted == "close")
            {
                hangs.Set();
                ends.Wait(Eventually.Patience).ShouldBeTrue();
            }
            else if (noted == call)
            {
                closing = Task.Factory.StartNew(connection.Close, default, TaskCreationOptions.LongRunning, TaskScheduler.Default);
                hangs.Wait(Eventually.Patience).ShouldBeTrue();
                test.Gate.GetSnapshot().Held.ShouldBe(1, "the call still runs");
            }
        };

        _ = call switch
        {
            "row" => reader!.Read(),
            "save x" => Save(transaction!),
            _ => command.ExecuteNonQuery() == 1,
        };

        test.Gate.GetSnapshot().Held.ShouldBe(0);
        closing!.IsCompleted.ShouldBeFalse();
        ends.Set();
        await closing.WaitAsync(Eventually.Patience);
        test.Gate.GetSnapshot().Held.ShouldBe(0);

        static bool Save(DbTransaction transaction)
        {
            transaction.Save("x");
            return true;
        }
    }

    public static TheoryData<string, bool, bool> CallsAfterABreak => new()
    {
        { "rollback", false, false },
        { "rollback", true, false },
        { "rollback", true, true },
        { "commit", false, false },
        { "commit", true, true },
        { "save x", true, false },
    };

    /// <summary>A user rolls back when a statement throws, and hears of nothing but that: a provider says there why the connection broke.</summary>
    [Theory]
    [MemberData(nameof(CallsAfterABreak))]
    public async Task Transaction_OfAConnectionThatBroke_SaysWhatTheProviderSays(string call, bool isTwice, bool isSilent)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource { FailureEnds = true, IsSilent = isSilent };
        await using var source = new GatedDataSource(inner, test.Gate);
        await using var connection = (GatedConnection)await source.OpenConnectionAsync();
        DbTransaction transaction = await connection.BeginTransactionAsync();
        ((FakeConnection)connection.Provider).Break();
        test.Gate.GetSnapshot().Held.ShouldBe(isSilent ? 1 : 0, "the permit does not wait for its user where the provider tells");
        inner.Fails = call;

        for (int i = 0; i < (isTwice ? 2 : 1); i++)
        {
            Exception said = await Should.ThrowAsync<InvalidOperationException>(() => call switch
            {
                "commit" => transaction.CommitAsync(),
                "rollback" => transaction.RollbackAsync(),
                _ => transaction.SaveAsync("x"),
            });
            said.Message.ShouldBe(call + " failed");
        }

        transaction.Connection.ShouldBeNull();
        await connection.CloseAsync();
        int calls = inner.Calls.Count;
        await Should.ThrowAsync<InvalidOperationException>(() => transaction.RollbackAsync());
        inner.Calls.Count.ShouldBe(calls, "once the connection is closed the provider may have given the object to somebody else");
    }

    /// <summary>A retry after a commit that failed, or after ROLLBACK as text: the provider says that the first one is open, and begins another.</summary>
    [Fact]
    public async Task Begin_AfterOneThatHasEndedUndisposed_LeavesOnlyItsOwnPermit()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource { Fails = "commit" };
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        DbTransaction first = await connection.BeginTransactionAsync();
        await Should.ThrowAsync<InvalidOperationException>(() => first.CommitAsync());
        inner.Fails = null;

        DbTransaction second = await connection.BeginTransactionAsync();

        test.Gate.GetSnapshot().Held.ShouldBe(1);
        int calls = inner.Calls.Count;
        await first.DisposeAsync();
        inner.Calls.Count.ShouldBe(calls, "the provider's object may be that of the second one");
        await second.CommitAsync();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    /// <summary>Npgsql changes the database with another connection to the server.</summary>
    [Fact]
    public async Task ChangeDatabase_ThatClosesAndOpens_LeavesAConnectionAsAnyOther()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using var connection = (GatedConnection)await source.OpenConnectionAsync();
        var provider = (FakeConnection)connection.Inner;
        inner.Noted = call =>
        {
            if (call == "change")
            {
                provider.Close();
                provider.Open();
            }
        };
        List<ConnectionState> states = [];
        connection.StateChange += (_, change) => states.Add(change.CurrentState);

        await connection.ChangeDatabaseAsync("other");

        states.ShouldBe([ConnectionState.Closed, ConnectionState.Open]);
        DbTransaction first = await connection.BeginTransactionAsync();
        await first.CommitAsync();
        await using DbTransaction second = await connection.BeginTransactionAsync();
        int calls = inner.Calls.Count;
        await first.DisposeAsync();
        await Should.ThrowAsync<InvalidOperationException>(() => first.RollbackAsync());
        inner.Calls.Count.ShouldBe(calls, "the provider's object may be that of the second one");
    }

    [Fact]
    public async Task Cancel_OfATransactionWhoseStatementRunsElsewhereNow_LeavesThatAlone()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection first = await source.OpenConnectionAsync();
        await using DbConnection second = await source.OpenConnectionAsync();
        await using DbTransaction transaction = await first.BeginTransactionAsync();
        await using DbCommand command = first.CreateCommand();
        command.Transaction = transaction;
        command.ExecuteNonQuery();
        command.Connection = second;
        inner.Executing = () => test.Gate.Cancel(test.Gate.GetLeases().Single().Id).ShouldBeTrue();

        command.ExecuteNonQuery();

        inner.Calls.ShouldNotContain("cancel");
    }

    /// <summary>As with any component, which a container removes then.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Connection_Disposed_SaysSo(bool isAsync)
    {
        using var test = new TestGate(1);
        await using var source = new GatedDataSource(new FakeDataSource(), test.Gate);
        DbConnection connection = await source.OpenConnectionAsync();
        List<ConnectionState> told = [];
        connection.Disposed += (_, _) => told.Add(connection.State);
        if (isAsync)
        {
            await connection.DisposeAsync();
        }
        else
        {
            connection.Dispose();
        }

        told.ShouldBe([ConnectionState.Closed]);
    }
}
