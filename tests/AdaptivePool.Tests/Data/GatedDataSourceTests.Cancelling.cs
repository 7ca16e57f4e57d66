using System.Data.Common;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

/// <content>An administrator cancels a transaction that ends at the same time.</content>
public sealed partial class GatedDataSourceTests
{
    /// <summary>It would reach the statement that runs next on the connection.</summary>
    [Theory]
    [InlineData("commit")]
    [InlineData("rollback")]
    [InlineData("dispose")]
    public Task Cancel_StillInTheProvider_IsWaitedForByTheEndOfTheTransaction(string end) =>
        CancelDuringAsync(end, static () => { }, async (transaction, arrives) =>
        {
            Task ending = end switch
            {
                "commit" => transaction.CommitAsync(),
                "rollback" => transaction.RollbackAsync(),
                _ => transaction.DisposeAsync().AsTask(),
            };
            ending.IsCompleted.ShouldBeFalse();
            arrives.Set();
            await ending.WaitAsync(Eventually.Patience);
        });

    /// <summary>The permit of a transaction that has ended would be taken until the connection is closed.</summary>
    [Fact]
    public Task Cancel_StillInTheProvider_InterruptOfTheEndThatWaits_LeavesTheGate() =>
        CancelDuringAsync("commit", static () => Thread.CurrentThread.Interrupt(), async static (transaction, _) =>
        {
            Task ending = Task.Factory.StartNew(transaction.Commit, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
            await Should.ThrowAsync<ThreadInterruptedException>(() => ending.WaitAsync(Eventually.Patience));
        });

    /// <summary>Ends a transaction that the gate cancels meanwhile.</summary>
    /// <param name="end">The call of the provider in which it ends.</param>
    /// <param name="onEnd">Done there, once the provider is cancelling.</param>
    /// <param name="act">Ends it. The provider goes on cancelling until what it is given is set.</param>
    private static async Task CancelDuringAsync(string end, Action onEnd, Func<DbTransaction, ManualResetEventSlim, Task> act)
    {
        using var test = new TestGate(1);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        DbTransaction transaction = await connection.BeginTransactionAsync();
        connection.CreateCommand().ExecuteNonQuery();
        var onItsWay = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var arrives = new ManualResetEventSlim();
        long id = test.Gate.GetLeases()[0].Id;
        Task<bool>? cancel = null;
        inner.Noted = call =>
        {
            if (call == "cancel")
            {
                onItsWay.SetResult();
                arrives.Wait(Eventually.Patience);
            }
            else if (call == end)
            {
                cancel = Task.Factory.StartNew(() => test.Gate.Cancel(id), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
                onItsWay.Task.Wait(Eventually.Patience);
                onEnd();
            }
        };
        await act(transaction, arrives);
        test.Gate.GetSnapshot().Held.ShouldBe(0);
        arrives.Set();
        (await cancel!.WaitAsync(Eventually.Patience)).ShouldBeTrue();
    }
}
