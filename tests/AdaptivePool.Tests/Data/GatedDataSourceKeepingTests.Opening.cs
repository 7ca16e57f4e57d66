using System.Data;
using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

/// <remarks>Connections are opened one after another, and only when none comes back.</remarks>
public sealed partial class GatedDataSourceKeepingTests
{
    [Fact]
    public async Task Open_Many_OneAfterAnother()
    {
        using var test = new TestGate(0);
        var inner = new SlowDataSource();
        await using GatedDataSource source = Keep(inner, test);
        Task<DbTransaction>[] begun = [.. Enumerable.Range(0, 3).Select(_ => source.OpenConnection().BeginTransactionAsync().AsTask())];

        for (int opened = 1; opened <= 3; opened++)
        {
            inner.Opening.Count.ShouldBe(1);
            source.GetSnapshot().Waiting.ShouldBe(3 - opened);
            inner.Next().SetResult();
            int expected = opened;
            Eventually.Be(() => begun.Count(static b => b.IsCompleted) == expected && inner.Opening.Count == Math.Min(1, 3 - expected), "the next one opens");
        }

        source.GetSnapshot().Open.ShouldBe(3);
    }

    [Fact]
    public async Task Open_WhileOneComesBack_TakesThatInstead()
    {
        using var test = new TestGate(0);
        var inner = new SlowDataSource();
        await using GatedDataSource source = Keep(inner, test);
        DbConnection first = source.OpenConnection();
        Task<DbTransaction> begun = first.BeginTransactionAsync().AsTask();
        inner.Next().SetResult();
        await begun.WaitAsync(Eventually.Patience);
        Task<DbTransaction> opening = source.OpenConnection().BeginTransactionAsync().AsTask();
        Task<DbTransaction> waiting = source.OpenConnection().BeginTransactionAsync().AsTask();
        inner.Opening.Count.ShouldBe(1);

        await first.DisposeAsync();

        await waiting.WaitAsync(Eventually.Patience);
        opening.IsCompleted.ShouldBeFalse();
        inner.Next().SetResult();
        await opening.WaitAsync(Eventually.Patience);
        source.GetSnapshot().Open.ShouldBe(2);
    }

    [Fact]
    public async Task Open_Fails_AllThatWaitAreToldAndTheNextMayTry()
    {
        using var test = new TestGate(0);
        var inner = new SlowDataSource();
        await using GatedDataSource source = Keep(inner, test);
        Task<DbTransaction>[] begun = [.. Enumerable.Range(0, 3).Select(_ => source.OpenConnection().BeginTransactionAsync().AsTask())];
        inner.Next().SetException(new InvalidOperationException("refused"));

        foreach (Task<DbTransaction> begin in begun)
        {
            (await Should.ThrowAsync<InvalidOperationException>(() => begin.WaitAsync(Eventually.Patience))).Message.ShouldBe("refused");
        }

        test.Gate.GetSnapshot().Held.ShouldBe(0);
        Task<DbTransaction> again = source.OpenConnection().BeginTransactionAsync().AsTask();
        inner.Next().SetResult();
        await again.WaitAsync(Eventually.Patience);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 0, 0, 1, 0, 0));
    }

    /// <summary>It says nothing about the server: the next one opens its own.</summary>
    [Fact]
    public async Task Open_InterruptedWhileItOpens_FailsForNobodyElse()
    {
        using var test = new TestGate(0);
        var inner = new SlowDataSource();
        await using GatedDataSource source = Keep(inner, test);
        Task<DbTransaction> opening = source.OpenConnection().BeginTransactionAsync().AsTask();
        Task<DbTransaction> waiting = source.OpenConnection().BeginTransactionAsync().AsTask();
        inner.Next().SetException(new IOException("reading from the stream", new ThreadInterruptedException()));
        await Should.ThrowAsync<IOException>(() => opening.WaitAsync(Eventually.Patience));

        Eventually.Be(() => waiting.IsCompleted || inner.Opening.Count == 1, "the next one opens");
        waiting.IsFaulted.ShouldBeFalse();
        inner.Next().SetResult();

        await waiting.WaitAsync(Eventually.Patience);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 0, 0, 1, 0, 0));
    }

    [Theory]
    [InlineData("create")]
    [InlineData("open")]
    public async Task Open_FailsAndSoDoesItsDispose_TheNextMayTry(string call)
    {
        using var test = new TestGate(0);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        DbConnection first = source.OpenConnection();
        DbConnection second = source.OpenConnection();
        (inner.Fails, inner.DisposeFails) = (call, true);
        Should.Throw<InvalidOperationException>(() => first.BeginTransaction()).Message.ShouldBe($"{call} failed");
        (inner.Fails, inner.DisposeFails) = (null, false);

        await second.BeginTransactionAsync().AsTask().WaitAsync(Eventually.Patience);

        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 0, 0, 1, 0, 0));
    }

    [Fact]
    public async Task Open_CancelledWhileItWaits_LeavesNoTrace()
    {
        using var test = new TestGate(0);
        var inner = new SlowDataSource();
        await using GatedDataSource source = Keep(inner, test);
        Task<DbTransaction> opening = source.OpenConnection().BeginTransactionAsync().AsTask();
        using var cancellation = new CancellationTokenSource();
        Task<DbTransaction> waiting = source.OpenConnection().BeginTransactionAsync(cancellation.Token).AsTask();
        await cancellation.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => waiting.WaitAsync(Eventually.Patience));
        source.GetSnapshot().Waiting.ShouldBe(0);
        inner.Next().SetResult();
        await (await opening.WaitAsync(Eventually.Patience)).DisposeAsync();

        inner.Opening.ShouldBeEmpty();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public async Task Open_AsManyAsTheLimitAreOpen_WaitsAMomentForOneToComeBack()
    {
        using var test = new TestGate(1);
        var inner = new SlowDataSource();
        await using GatedDataSource source = Keep(inner, test);
        DbConnection first = source.OpenConnection();
        Task<DbTransaction> begun = first.BeginTransactionAsync().AsTask();
        inner.Next().SetResult();
        await (await begun.WaitAsync(Eventually.Patience)).DisposeAsync();

        // The permit is back, the connection is not.
        Task<DbTransaction> next = source.OpenConnection().BeginTransactionAsync().AsTask();
        inner.Opening.ShouldBeEmpty();
        test.Clock.Advance(TimeSpan.FromMilliseconds(9));
        source.Shelf!.Look().ShouldBe(TimeSpan.FromMilliseconds(1));
        inner.Opening.ShouldBeEmpty();
        test.Clock.Advance(TimeSpan.FromMilliseconds(1));
        source.Shelf!.Look();

        Eventually.Be(() => inner.Opening.Count == 1, "who has waited long enough opens one");
        inner.Next().SetResult();
        await next.WaitAsync(Eventually.Patience);
        source.GetSnapshot().Open.ShouldBe(2);
    }

    /// <summary>The room was seen only when the thread looked, after the moment that is granted to one that comes back.</summary>
    [Fact]
    public async Task Open_WhileABrokenOneIsThrownAway_OpensAnotherAtOnce()
    {
        using var test = new TestGate(1);
        var inner = new SlowDataSource();
        await using GatedDataSource source = Keep(inner, test);
        DbConnection first = source.OpenConnection();
        DbTransaction begun = await Begin(first);
        await begun.DisposeAsync();
        Task<DbTransaction> next = source.OpenConnection().BeginTransactionAsync().AsTask();
        inner.Opening.ShouldBeEmpty();
        first.ChangeDatabase("other");

        await first.DisposeAsync();

        Eventually.Be(() => inner.Opening.Count == 1, "there is room for one again");
        inner.Next().SetResult();
        await next.WaitAsync(Eventually.Patience);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 0, 0, 2, 1, 0));

        async Task<DbTransaction> Begin(DbConnection connection)
        {
            Task<DbTransaction> begin = connection.BeginTransactionAsync().AsTask();
            inner.Next().SetResult();
            return await begin.WaitAsync(Eventually.Patience);
        }
    }

    [Fact]
    public async Task Open_InterruptedWhileItWaits_LeavesTheQueue()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection first = Use(source);
        DbConnection second = source.OpenConnection();
        var interrupted = new Interruptible(() => second.BeginTransaction());
        Eventually.Be(() => source.GetSnapshot().Waiting == 1, "it waits for a connection");

        interrupted.End();

        source.GetSnapshot().Waiting.ShouldBe(0);
        test.Gate.GetSnapshot().Held.ShouldBe(0);
        first.Dispose();
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 1, 0, 0));
    }

    [Fact]
    public async Task Open_InterruptedWhileOneComesBack_LosesNone()
    {
        using var test = new TestGate(1);
        await using GatedDataSource source = Keep(new FakeDataSource(), test);
        for (int round = 0; round < 200; round++)
        {
            GatedConnection first = Use(source);
            using DbConnection second = source.OpenConnection();
            var interrupted = new Interruptible(() => second.BeginTransaction());
            Eventually.Be(() => source.GetSnapshot().Waiting == 1, "it waits for a connection");
            interrupted.End(first.Dispose);
            second.Dispose();
            Eventually.Be(() => source.GetSnapshot() is { Open: 1, Idle: 1, Waiting: 0 }, "the connection is back");
        }
    }

    [Fact]
    public async Task ThrowAway_WhileOneWaits_ItOpensAfterTheOldSessionHasEnded()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Keep(inner, test);
        GatedConnection first = Use(source);
        Task<DbTransaction> waiting = source.OpenConnection().BeginTransactionAsync().AsTask();
        source.GetSnapshot().Waiting.ShouldBe(1);
        int? waitedAtClose = null;
        first.Provider.StateChange += (_, _) => waitedAtClose = source.GetSnapshot().Waiting;
        first.ChangeDatabase("other");

        await first.DisposeAsync();

        waitedAtClose.ShouldBe(1);
        await waiting.WaitAsync(Eventually.Patience);
        inner.Calls.ShouldBe(["open", "execute", "change", "close", "open", "begin"]);
    }
}
