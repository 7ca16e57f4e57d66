using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

/// <remarks>Commands, readers and what is read from those: the provider's behind them, and what they say once their session may be another user's.</remarks>
public sealed partial class GatedDataSourceKeepingTests
{
    public static TheoryData<string, string, Action<DbConnection, DbDataReader>> Ends => new()
    {
        { "closed", "close", static (_, reader) => reader.Close() },
        { "disposed", "dispose", static (_, reader) => reader.Dispose() },
        { "left open", "close", static (connection, _) => connection.Close() },
        { "left open, and its connection disposed", "close", static (connection, _) => connection.Dispose() },
    };

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task Reader_Ended_EndsTheProvidersInTheSameWay(string way, string expected, Action<DbConnection, DbDataReader> end)
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection connection = Use(source);
        DbDataReader reader = connection.CreateCommand().ExecuteReader();
        reader.RecordsAffected.ShouldBe(2, "so far");

        end(connection, reader);

        inner.ReaderEnds.ShouldBe([expected], way);
        reader.IsClosed.ShouldBeTrue();
        reader.RecordsAffected.ShouldBe(3, "final when it is closed");
    }

    [Fact]
    public async Task Reader_ThatTheProviderHasClosed_IsClosed()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        using GatedConnection connection = Use(source);
        using DbDataReader reader = connection.CreateCommand().ExecuteReader();
        reader.IsClosed.ShouldBeFalse();

        inner.Readers.ShouldHaveSingleItem().Break();

        reader.IsClosed.ShouldBeTrue();
    }

    /// <summary>Its provider's is another one than the connection's own, which was what the provider was given.</summary>
    [Fact]
    public async Task Command_GivenItsConnectionOnceMore_IsUnchanged()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        using GatedConnection connection = Use(source);
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        using DbCommand command = connection.CreateCommand();
        command.Transaction = transaction;
        command.ExecuteNonQuery();
        DbConnection? session = inner.Commands[^1].Connection;

        command.Connection = connection;

        command.Transaction.ShouldBeSameAs(transaction);
        inner.Commands[^1].Connection.ShouldBeSameAs(session);
        command.Connection = null;
        command.Transaction.ShouldBeNull("another one takes it away with this provider");
    }

    [Fact]
    public async Task Stream_OfAColumn_CanDoNothingOnceItsReaderIsClosed()
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(new FakeDataSource(), test);
        using GatedConnection connection = Use(source);
        using DbDataReader reader = connection.CreateCommand().ExecuteReader();
        reader.Read().ShouldBeTrue();
        using Stream stream = reader.GetStream(1);
        using TextReader text = reader.GetTextReader(1);
        (stream.CanRead, stream.CanSeek, stream.CanWrite, stream.ReadByte()).ShouldBe((true, true, false, 7));

        reader.Close();

        (stream.CanRead, stream.CanSeek, stream.CanWrite).ShouldBe((false, false, false));
        Should.Throw<ObjectDisposedException>(() => stream.ReadByte(), "as with Npgsql");
        Should.Throw<ObjectDisposedException>(() => text.Read(), "as with Npgsql");
    }

    /// <summary>Asynchronously it holds no thread while the provider reads the rest of the column.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Stream_OfAColumn_DisposesTheProvidersInTheSameWay(bool isAsync)
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        using GatedConnection connection = Use(source);
        using DbDataReader reader = connection.CreateCommand().ExecuteReader();
        reader.Read().ShouldBeTrue();
        Stream stream = reader.GetStream(1);
        for (int i = 0; i < 2; i++)
        {
            if (isAsync)
            {
                await stream.DisposeAsync();
            }
            else
            {
                stream.Dispose();
            }
        }

        inner.ColumnDisposals.ShouldBe([isAsync]);
        stream.CanRead.ShouldBeFalse();
    }

    [Fact]
    public async Task Command_OfAClosedConnection_HasLetGoOfItsSession()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection connection = Use(source);
        DbConnection session = connection.Provider;
        FakeCommand used = inner.Commands.ShouldHaveSingleItem();
        used.Connection.ShouldBeSameAs(session);

        connection.Close();

        used.Connection.ShouldNotBeSameAs(session, "it is another user's soon");
        source.GetSnapshot().Idle.ShouldBe(1);
    }

    /// <summary>It could not be cancelled any more, nor could the transaction in which it ran.</summary>
    [Fact]
    public async Task Command_ThatRunsOnAnotherConnection_OutlivesTheOneBefore()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        using GatedConnection first = Use(source);
        using GatedConnection second = Use(source);
        using DbCommand command = first.CreateCommand();
        command.ExecuteNonQuery();
        command.Connection = second;
        inner.Executing = () =>
        {
            inner.Executing = null;
            first.Close();
            command.Cancel();
        };

        command.ExecuteNonQuery();

        inner.Calls.ShouldContain("cancel");
    }

    [Fact]
    public async Task Command_Disposed_RunsNoMore()
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(new FakeDataSource(), test);
        using GatedConnection connection = Use(source);
        DbCommand command = connection.CreateCommand();
        command.ExecuteNonQuery();
        command.Dispose();

        Should.Throw<ObjectDisposedException>(() => command.ExecuteNonQuery());
        connection.Close();
        source.GetSnapshot().Idle.ShouldBe(1, "nobody is inside it any more");
    }

    /// <summary>Whose token it was decides: a user who has gone gets no other connection, and a provider that cancels by itself has failed.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Connection_WhoseTrialIsCancelled_IsThrownAway(bool byItsUser)
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test, static o => o.ValidateAfter = TimeSpan.Zero);
        Use(source).Dispose();
        using var user = new CancellationTokenSource();
        inner.Executing = () =>
        {
            inner.Executing = null;
            if (byItsUser)
            {
                user.Cancel();
            }

            throw new OperationCanceledException("by a trial");
        };

        await using DbConnection connection = await source.OpenConnectionAsync(CancellationToken.None);
        Task used = connection.CreateCommand().ExecuteNonQueryAsync(user.Token);

        if (byItsUser)
        {
            await Should.ThrowAsync<OperationCanceledException>(used);
            source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(0, 0, 0, 1, 1, 0));
        }
        else
        {
            await used;
            source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 0, 0, 2, 1, 0));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Command_GivenAnotherConnection_HasATransactionAsLongAsTheProvidersHas(bool keeps)
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource { KeepsTransactions = keeps };
        await using GatedDataSource source = Keep(inner, test);
        using GatedConnection connection = Use(source);
        using GatedConnection other = Use(source);
        using DbTransaction transaction = connection.BeginTransaction();
        DbCommand command = connection.CreateCommand();
        command.Transaction = transaction;

        command.Connection = other;

        command.Transaction.ShouldBe(keeps ? transaction : null);
    }
}
