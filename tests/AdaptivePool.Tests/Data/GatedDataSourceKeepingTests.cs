using System.Data;
using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

/// <summary>A gated data source that keeps its connections itself.</summary>
public sealed partial class GatedDataSourceKeepingTests
{
    [Fact]
    public async Task Connection_GivenBack_IsResetAndHandedOutAgainNewestFirst()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection first = Use(source);
        GatedConnection second = Use(source);
        DbConnection older = first.Provider;
        DbConnection newer = second.Provider;
        first.Dispose();
        await second.DisposeAsync();
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(2, 2, 0, 2, 0, 0));

        GatedConnection third = Use(source);
        GatedConnection fourth = await UseAsync(source);

        (ReferenceEquals(third.Provider, newer), ReferenceEquals(fourth.Provider, older)).ShouldBe((true, true));
        inner.Calls.ShouldBe(["open", "execute", "open", "execute", "execute DISCARD", "execute DISCARD", "execute", "execute"]);
    }

    [Fact]
    public async Task Connection_ThatCannotBeReset_IsThrownAwayWhenItIsClosed()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection connection = Use(source);
        inner.Fails = "execute DISCARD";
        connection.Dispose();

        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(0, 0, 0, 1, 1, 0));
    }

    [Theory]
    [InlineData("BEGIN", null, true)]
    [InlineData("BEGIN", "begin", false)]
    [InlineData("SELECT 1", "begin", true)]
    public async Task Connection_ThatMayBeInsideATransaction_IsAskedAndThrownAwayIfItIs(string text, string? fails, bool isKept)
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection connection = Use(source);
        using DbCommand command = connection.CreateCommand();
        command.CommandText = text;
        command.ExecuteNonQuery();
        inner.Fails = fails;
        await connection.CloseAsync();

        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(isKept ? 1 : 0, isKept ? 1 : 0, 0, 1, isKept ? 0 : 1, 0));
    }

    [Fact]
    public async Task Connection_WhoseProvidersWasHandedOut_IsNotKept()
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(new FakeDataSource(), test);
        var connection = (GatedConnection)await source.OpenConnectionAsync();
        DbConnection handedOut = connection.Inner;
        handedOut.State.ShouldBe(ConnectionState.Open);
        await connection.CloseAsync();

        handedOut.State.ShouldBe(ConnectionState.Closed);
        connection.Inner.ShouldNotBeSameAs(handedOut);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(0, 0, 0, 1, 1, 0));
    }

    [Fact]
    public async Task Connection_NotUsed_TakesNone()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        await using (DbConnection connection = await source.OpenConnectionAsync())
        {
            connection.State.ShouldBe(ConnectionState.Open);
        }

        inner.Calls.ShouldBeEmpty();
    }

    [Fact]
    public async Task Connection_ClosedInsideATransaction_IsRolledBackBeforeThePermitGoesBack()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        DbConnection connection = source.OpenConnection();
        connection.BeginTransaction();
        connection.Close();

        inner.Calls.ShouldBe(["open", "begin", "dispose", "execute DISCARD"]);
        source.GetSnapshot().Idle.ShouldBe(1);
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public async Task Connection_WhoseRollbackFails_IsThrownAway()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        DbConnection connection = await source.OpenConnectionAsync();
        await connection.BeginTransactionAsync();
        inner.Fails = "dispose";
        await connection.CloseAsync();

        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(0, 0, 0, 1, 1, 0));
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Theory]
    [InlineData("commit")]
    [InlineData("rollback")]
    [InlineData("dispose")]
    public async Task Connection_WhoseTransactionFailsToEnd_IsThrownAway(string call)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource { FailureEnds = true };
        await using GatedDataSource source = Keep(inner, test);
        DbConnection connection = source.OpenConnection();
        DbTransaction transaction = connection.BeginTransaction();
        inner.Fails = call;
        Should.Throw<InvalidOperationException>(call == "commit" ? transaction.Commit : call == "rollback" ? transaction.Rollback : transaction.Dispose);
        connection.Close();

        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(0, 0, 0, 1, 1, 0));
    }

    /// <summary>One that was cancelled, or took too long, may have begun on the server.</summary>
    [Theory]
    [InlineData("begin", false)]
    [InlineData(null, true)]
    public async Task Connection_WhoseBeginFails_IsAskedAndThrownAwayIfItIsInsideOne(string? fails, bool isKept)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource { Fails = "begin" };
        await using GatedDataSource source = Keep(inner, test);
        DbConnection connection = await source.OpenConnectionAsync();
        await Should.ThrowAsync<InvalidOperationException>(async () => await connection.BeginTransactionAsync());
        inner.Fails = fails;
        await connection.CloseAsync();

        inner.Calls.Count(static call => call == "begin").ShouldBe(2);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(isKept ? 1 : 0, isKept ? 1 : 0, 0, 1, isKept ? 0 : 1, 0));
    }

    [Fact]
    public async Task Connection_InsideATransactionScope_IsTheProvidersOwnAndClosed()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        Use(source).Dispose();
        using (var scope = new System.Transactions.TransactionScope(System.Transactions.TransactionScopeAsyncFlowOption.Enabled))
        {
            GatedConnection inside = Use(source);
            inside.Provider.State.ShouldBe(ConnectionState.Open);
            inside.Dispose();
            await (await UseAsync(source)).DisposeAsync();
            scope.Complete();
        }

        inner.Calls.ShouldBe(["open", "execute", "execute DISCARD", "open", "execute", "close", "open", "execute", "close"]);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 1, 0, 0));
    }

    [Fact]
    public async Task Command_GivenItsTransactionBeforeItRuns_RunsInside()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        await using DbConnection connection = await source.OpenConnectionAsync();
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        DbCommand command = connection.CreateCommand();
        command.Transaction = transaction;
        await command.ExecuteNonQueryAsync();

        inner.Calls.ShouldBe(["open", "begin", "execute inside"]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Connection_ClosedInsideATransaction_HasNotFailed(bool keeps)
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        await using GatedDataSource source = Keep(new FakeDataSource(), test, o => o.KeepsConnections = keeps);
        DbConnection connection = source.OpenConnection();
        connection.BeginTransaction();
        connection.Close();

        AdaptiveLimitSnapshot state = test.Gate.GetSnapshot().Adaptive!;
        (state.Ended, state.Failed).ShouldBe((1, 0));
    }

    [Fact]
    public async Task Connection_ThatBroke_IsThrownAwayAndNeverHandedOut()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection connection = Use(source);
        var broken = (FakeConnection)connection.Provider;
        broken.Break();
        connection.State.ShouldBe(ConnectionState.Closed);
        connection.Open();
        connection.CreateCommand().ExecuteNonQuery();

        connection.Provider.ShouldNotBe(broken);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 0, 0, 2, 1, 0));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(500)]
    public async Task Connection_KilledWhileIdle_FailsItsTrialAndAnotherIsOpened(int validateAfter)
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test, o => o.ValidateAfter = TimeSpan.FromMilliseconds(validateAfter));
        GatedConnection connection = Use(source);
        DbConnection killed = connection.Provider;
        connection.Dispose();
        inner.Fails = "execute DISCARD";
        test.Clock.Advance(TimeSpan.FromMilliseconds(validateAfter));

        GatedConnection next = Use(source);

        next.Provider.ShouldNotBe(killed);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 0, 0, 2, 1, 0));
    }

    [Theory]
    [InlineData("", 500)]
    [InlineData("", 0)]
    [InlineData("DISCARD", 0)]
    public async Task Connection_ClosedWhileIdle_IsNotHandedOut(string reset, int validateAfter)
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(
            new FakeDataSource(),
            test,
            o => (o.ResetStatement, o.ValidateAfter) = (reset, TimeSpan.FromMilliseconds(validateAfter)));
        GatedConnection connection = Use(source);
        var closed = (FakeConnection)connection.Provider;
        connection.Dispose();
        closed.Break();

        GatedConnection next = Use(source);

        next.Provider.ShouldNotBe(closed);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 0, 0, 2, 1, 0));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Connection_ChangedForGood_IsThrownAway(bool changesDatabase)
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(new FakeDataSource(), test);
        GatedConnection connection = Use(source);
        if (changesDatabase)
        {
            connection.ChangeDatabase("other");
        }

        connection.Dispose();
        source.GetSnapshot().Idle.ShouldBe(changesDatabase ? 0 : 1);
    }

    [Fact]
    public async Task Idle_ForTooLong_IsClosedFromTheBottom()
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(new FakeDataSource(), test, static o => o.IdleTimeout = TimeSpan.FromSeconds(10));
        GatedConnection first = Use(source);
        GatedConnection second = Use(source);
        source.Shelf!.Look().ShouldBeNull();
        first.Dispose();
        test.Clock.Advance(TimeSpan.FromSeconds(6));
        second.Dispose();
        source.Shelf!.Look().ShouldBe(TimeSpan.FromSeconds(4));
        test.Clock.Advance(TimeSpan.FromSeconds(4));
        source.Shelf!.Look().ShouldBe(TimeSpan.FromSeconds(6));
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 2, 0, 1));
        test.Clock.Advance(TimeSpan.FromSeconds(6));
        source.Shelf!.Look().ShouldBeNull();
        source.GetSnapshot().Open.ShouldBe(0);
    }

    [Fact]
    public void Idle_OnRealTime_IsClosedByTheThread()
    {
        using var test = new TestGate(4);
        using var source = new GatedDataSource(new FakeDataSource(), test.Gate,
            new GatedDataSourceOptions { KeepsConnections = true, ResetStatement = "", IdleTimeout = TimeSpan.FromMilliseconds(20) });
        Use(source).Dispose();
        Eventually.Be(() => source.GetSnapshot() is { Open: 0, Expired: 1 }, "an idle connection is closed");
        Use(source).Dispose();
        Eventually.Be(() => source.GetSnapshot() is { Open: 0, Expired: 2 }, "so is the next one");
    }

    [Fact]
    public async Task Dispose_Source_ClosesIdleOnesAndThoseThatComeBack()
    {
        using var test = new TestGate(4);
        GatedDataSource source = Keep(new FakeDataSource(), test);
        GatedConnection inUse = Use(source);
        Use(source).Dispose();
        await source.DisposeAsync();
        source.GetSnapshot().Open.ShouldBe(1);
        inUse.Dispose();
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(0, 0, 0, 2, 1, 0));
        Should.Throw<ObjectDisposedException>(() => Use(source));
    }

    public static TheoryData<string, Action<GatedDataSourceOptions>> Wrong => new()
    {
        { "AutoCommit is '7'; allowed: Pass or Count.", static o => o.AutoCommit = (AutoCommitHandling)7 },
        { "Request.Priority is '9'; allowed: Low, Normal, High or Admin.", static o => o.Request = new() { Priority = (TransactionPriority)9 } },
        { "IdleTimeout is '00:00:00'; allowed: 00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds).", static o => o.IdleTimeout = TimeSpan.Zero },
        { "ValidateAfter is 'Infinite'; allowed: 00:00:00 to 1.00:00:00 (days.hours:minutes:seconds).", static o
            => o.ValidateAfter = TimeSpan.FromMilliseconds(-1) },
        { "ResetStatement is ''; allowed: a statement, or an empty text for none, where KeepsConnections is true.", static o => o.KeepsConnections = true },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Create_OptionOutOfRange_NamesOptionValueAndRange(string message, Action<GatedDataSourceOptions> spoil)
    {
        using var test = new TestGate(1);
        var options = new GatedDataSourceOptions();
        spoil(options);
        Should.Throw<ArgumentOutOfRangeException>(() => new GatedDataSource(new FakeDataSource(), test.Gate, options)).Message.ShouldStartWith(message);
    }

    private static GatedDataSource Keep(DbDataSource inner, TestGate test, Action<GatedDataSourceOptions>? configure = null)
    {
        var options = new GatedDataSourceOptions { KeepsConnections = true, ResetStatement = "DISCARD" };
        configure?.Invoke(options);
        return new GatedDataSource(inner, test.Gate, options, test.Clock);
    }

    private static GatedConnection Use(GatedDataSource source)
    {
        var connection = (GatedConnection)source.OpenConnection();
        connection.CreateCommand().ExecuteNonQuery();
        return connection;
    }

    private static async Task<GatedConnection> UseAsync(GatedDataSource source)
    {
        var connection = (GatedConnection)await source.OpenConnectionAsync();
        await connection.CreateCommand().ExecuteNonQueryAsync();
        return connection;
    }
}
