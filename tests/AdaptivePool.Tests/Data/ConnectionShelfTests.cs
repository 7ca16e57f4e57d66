using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

/// <summary>What is given to one who has gone in the same moment: a thread that was interrupted in its wait.</summary>
public sealed class ConnectionShelfTests
{
    [Fact]
    public async Task PassOn_Connection_IsKeptForTheNext()
    {
        using ConnectionShelf shelf = Create(new FakeDataSource());
        DbConnection connection = await shelf.RentAsync(isAsync: true, CancellationToken.None);

        shelf.PassOn(Task.FromResult<DbConnection?>(connection));

        shelf.Snapshot.ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 1, 0, 0));
        (await shelf.RentAsync(isAsync: true, CancellationToken.None)).ShouldBeSameAs(connection);
    }

    [Fact]
    public async Task PassOn_TurnToOpen_GoesToTheNextThatWaits()
    {
        var inner = new SlowDataSource();
        using ConnectionShelf shelf = Create(inner);
        _ = shelf.RentAsync(isAsync: true, CancellationToken.None);
        Task<DbConnection> next = shelf.RentAsync(isAsync: true, CancellationToken.None);
        (inner.Opening.Count, shelf.Snapshot.Waiting).ShouldBe((1, 1));

        shelf.PassOn(Task.FromResult<DbConnection?>(null));

        Eventually.Be(() => inner.Opening.Count == 2, "the next one opens");
        inner.Next();
        inner.Next().SetResult();
        await next.WaitAsync(Eventually.Patience);
        shelf.Snapshot.ShouldBe(new GatedDataSourceSnapshot(1, 0, 0, 1, 0, 0));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void PassOn_Nothing_ChangesNothing(bool hasFailed)
    {
        var inner = new SlowDataSource();
        using ConnectionShelf shelf = Create(inner);
        _ = shelf.RentAsync(isAsync: true, CancellationToken.None);
        Task<DbConnection> next = shelf.RentAsync(isAsync: true, CancellationToken.None);

        shelf.PassOn(hasFailed
            ? Task.FromException<DbConnection?>(new InvalidOperationException("refused"))
            : Task.FromCanceled<DbConnection?>(new CancellationToken(canceled: true)));

        (inner.Opening.Count, shelf.Snapshot.Waiting, next.IsCompleted).ShouldBe((1, 1, false));
    }

    private static ConnectionShelf Create(DbDataSource inner) =>
        new(inner, new GatedDataSourceOptions { KeepsConnections = true, ResetStatement = "" }, "shelf", static () => 0, new ManualClock());
}
