using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

/// <content>A statement is cancelled before the provider has it.</content>
public sealed partial class GatedDataSourceAutoCommitTests
{
    /// <summary>The provider has no statement yet that it could cancel.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Statement_CountingIsCancelledByItsCommandWhileItWaits_EndsAtOnce(bool isAsync)
    {
        using var test = new TestGate(1);
        TransactionLease inside = test.Enter();
        var inner = new FakeDataSource();
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count, inner);
        await using DbConnection connection = await source.OpenConnectionAsync();
        DbCommand command = connection.CreateCommand();
        Task running = isAsync ? command.ExecuteNonQueryAsync()
            : Task.Factory.StartNew(command.ExecuteNonQuery, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Eventually.Be(() => test.Gate.GetSnapshot().Queued == 1, "it waits at the gate");

        command.Cancel();

        await Should.ThrowAsync<OperationCanceledException>(() => running.WaitAsync(Eventually.Patience));
        (test.Gate.GetSnapshot().Queued, test.Gate.GetSnapshot().Held, inner.Calls.Count).ShouldBe((0, 1, 0));
        inside.Dispose();
        command.ExecuteNonQuery().ShouldBe(1);
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Statement_CountingIsCancelledByItsCommandAsItsConnectionOpens_DoesNotRun(bool isAsync)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count, inner);
        await using DbConnection connection = await source.OpenConnectionAsync();
        DbCommand command = connection.CreateCommand();
        inner.Noted = call => (call == "open" ? command.Cancel : (Action)(static () => { }))();

        await Should.ThrowAsync<OperationCanceledException>(() => isAsync ? command.ExecuteNonQueryAsync() : Task.Run(command.ExecuteNonQuery));

        inner.Calls.ShouldBe(["open"]);
        test.Gate.GetSnapshot().Held.ShouldBe(0);
        command.ExecuteNonQuery().ShouldBe(1);
    }

    /// <summary>By its own token, of which applications ask whose cancellation it was.</summary>
    [Fact]
    public async Task Statement_CountingIsCancelledByItsTokenWhileItWaits_NamesThat()
    {
        using var test = new TestGate(1);
        using TransactionLease inside = test.Enter();
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count);
        await using DbConnection connection = await source.OpenConnectionAsync();
        using var cancellation = new CancellationTokenSource();
        Task running = connection.CreateCommand().ExecuteNonQueryAsync(cancellation.Token);

        await cancellation.CancelAsync();

        (await Should.ThrowAsync<OperationCanceledException>(() => running)).CancellationToken.ShouldBe(cancellation.Token);
    }

    /// <summary>The same where the permit was free, and the cancellation comes as the connection opens.</summary>
    [Fact]
    public async Task Statement_CountingIsCancelledByItsTokenAsItsConnectionOpens_NamesThat()
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using GatedDataSource source = Source(test, AutoCommitHandling.Count, inner);
        await using DbConnection connection = await source.OpenConnectionAsync();
        using var cancellation = new CancellationTokenSource();
        inner.Noted = call => (call == "open" ? cancellation.Cancel : (Action)(static () => { }))();

        (await Should.ThrowAsync<OperationCanceledException>(() => connection.CreateCommand().ExecuteNonQueryAsync(cancellation.Token)))
            .CancellationToken.ShouldBe(cancellation.Token);

        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }
}
