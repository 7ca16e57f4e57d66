using System.Data;
using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

/// <summary>How the provider's objects end with those of the source.</summary>
public sealed partial class GatedDataSourceKeepingTests
{
    [Fact]
    public async Task Connection_UsedBeforeItsProvidersWasHandedOut_IsNotKept()
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(new FakeDataSource(), test);
        GatedConnection connection = Use(source);
        connection.Inner.ShouldBeSameAs(connection.Provider);
        connection.Dispose();

        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(0, 0, 0, 1, 1, 0), "whoever has it may go on using it");
    }

    [Fact]
    public void Connection_ThatIsThrownAwayAndFailsToClose_IsClosedOnceMore()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        using GatedDataSource source = Keep(inner, test);
        GatedConnection connection = Use(source);
        DbConnection provider = connection.Inner;
        inner.Noted = call => inner.Fails = inner.Fails is null && call == "close" ? call : "once";
        connection.Dispose();

        provider.State.ShouldBe(ConnectionState.Closed, "nobody else knows it, and its session would stay on the server");
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(0, 0, 0, 1, 1, 0));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Connection_ThatCouldNotBeginAtADisposedGate_IsKept(bool isAsync)
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(new FakeDataSource(), test);
        GatedConnection connection = Use(source);
        test.Gate.Dispose();
        await Should.ThrowAsync<ObjectDisposedException>(async () => _ = isAsync ? await connection.BeginTransactionAsync() : connection.BeginTransaction());
        connection.Dispose();

        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 1, 0, 0), "no call of it runs any more");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Connection_Disposed_DisposesTheProvidersInTheSameWay(bool isAsync)
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test, static o => o.KeepsConnections = false);
        GatedConnection connection = Use(source);
        if (isAsync)
        {
            await connection.DisposeAsync();
        }
        else
        {
            connection.Dispose();
        }

        inner.Disposals.ShouldBe([isAsync]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Connection_ClosedWithAnOpenReader_ClosesThatAndIsKept(bool isAsync)
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection connection = Use(source);
        DbDataReader reader = connection.CreateCommand().ExecuteReader();
        if (isAsync)
        {
            await connection.CloseAsync();
        }
        else
        {
            connection.Close();
        }

        reader.IsClosed.ShouldBeTrue();
        inner.Readers.ShouldHaveSingleItem().IsClosed.ShouldBeTrue("the next user of the session must not find it");
        source.GetSnapshot().Idle.ShouldBe(1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Reader_ThatWouldCloseItsConnection_StatementFails_GivesThatBack(bool isAsync)
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection connection = Use(source);
        DbCommand command = connection.CreateCommand();
        inner.Fails = "execute";
        await Should.ThrowAsync<InvalidOperationException>(async () => _ = isAsync
            ? await command.ExecuteReaderAsync(CommandBehavior.CloseConnection)
            : command.ExecuteReader(CommandBehavior.CloseConnection));

        connection.State.ShouldBe(ConnectionState.Closed, "nobody has a reader that would close it");
        source.GetSnapshot().Idle.ShouldBe(1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Reader_ThatClosesItsConnection_GivesThatBack(bool isAsync)
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(new FakeDataSource(), test);
        GatedConnection connection = Use(source);
        DbDataReader reader = connection.CreateCommand().ExecuteReader(CommandBehavior.CloseConnection);
        if (isAsync)
        {
            await reader.DisposeAsync();
        }
        else
        {
            reader.Close();
        }

        connection.State.ShouldBe(ConnectionState.Closed);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 1, 0, 0));
        reader.Dispose();
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 1, 0, 0));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Reader_ClosedOrDisposed_SaysWhichOfThem(bool isDisposed)
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(new FakeDataSource(), test);
        GatedConnection connection = Use(source);
        DbDataReader reader = connection.CreateCommand().ExecuteReader();
        if (isDisposed)
        {
            reader.Dispose();
        }
        else
        {
            reader.Close();
        }

        Type expected = isDisposed ? typeof(ObjectDisposedException) : typeof(InvalidOperationException);
        Should.Throw<InvalidOperationException>(() => reader.Read()).ShouldBeOfType(expected);
    }

    [Fact]
    public async Task Connection_WhoseDatabaseCouldNotBeChanged_IsThrownAway()
    {
        using var test = new TestGate(4);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection connection = Use(source);
        inner.Fails = "change";
        Should.Throw<InvalidOperationException>(() => connection.ChangeDatabase("other"));
        connection.Dispose();

        source.GetSnapshot().Idle.ShouldBe(0, "nobody knows how far it came");
    }

    /// <summary>Npgsql's and SQLite's answer.</summary>
    [Fact]
    public async Task Reader_Closed_HasNoDepth()
    {
        using var test = new TestGate(4);
        await using GatedDataSource source = Keep(new FakeDataSource(), test);
        await using GatedConnection connection = Use(source);
        DbDataReader reader = connection.CreateCommand().ExecuteReader();
        await reader.CloseAsync();

        reader.Depth.ShouldBe(0);
    }
}
