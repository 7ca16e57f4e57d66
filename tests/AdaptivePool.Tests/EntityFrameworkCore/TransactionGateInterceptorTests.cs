using System.Data.Common;
using System.Diagnostics;
using System.Transactions;
using AdaptivePool.Admission;
using AdaptivePool.EntityFrameworkCore;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using It = AdaptivePool.EntityFrameworkCore.TransactionGateInterceptor;

namespace AdaptivePool.Tests.EntityFrameworkCore;

public sealed class TransactionGateInterceptorTests
{
    /// <summary>All calls of a transaction after its begin, and how the framework says that they are over.</summary>
    private static readonly (string Action, Func<It, DbTransaction, InterceptionResult, ValueTask> Calls, Func<It, DbTransaction, Task> Called)[] s_calls =
    [
        ("Commit", static (it, of, result) => Said(it.TransactionCommitting(of, null!, result)),
            static (it, of) => Said(() => it.TransactionCommitted(of, null!))),
        ("Commit", static async (it, of, result) => await it.TransactionCommittingAsync(of, null!, result),
            static (it, of) => it.TransactionCommittedAsync(of, null!)),
        ("Rollback", static (it, of, result) => Said(it.TransactionRollingBack(of, null!, result)),
            static (it, of) => Said(() => it.TransactionRolledBack(of, null!))),
        ("Rollback", static async (it, of, result) => await it.TransactionRollingBackAsync(of, null!, result),
            static (it, of) => it.TransactionRolledBackAsync(of, null!)),
        ("CreateSavepoint", static (it, of, result) => Said(it.CreatingSavepoint(of, null!, result)),
            static (it, of) => Said(() => it.CreatedSavepoint(of, null!))),
        ("CreateSavepoint", static async (it, of, result) => await it.CreatingSavepointAsync(of, null!, result),
            static (it, of) => it.CreatedSavepointAsync(of, null!)),
        ("RollbackToSavepoint", static (it, of, result) => Said(it.RollingBackToSavepoint(of, null!, result)),
            static (it, of) => Said(() => it.RolledBackToSavepoint(of, null!))),
        ("RollbackToSavepoint", static async (it, of, result) => await it.RollingBackToSavepointAsync(of, null!, result),
            static (it, of) => it.RolledBackToSavepointAsync(of, null!)),
        ("ReleaseSavepoint", static (it, of, result) => Said(it.ReleasingSavepoint(of, null!, result)),
            static (it, of) => Said(() => it.ReleasedSavepoint(of, null!))),
        ("ReleaseSavepoint", static async (it, of, result) => await it.ReleasingSavepointAsync(of, null!, result),
            static (it, of) => it.ReleasedSavepointAsync(of, null!)),
    ];

    public static TheoryData<int> Calls => [.. Enumerable.Range(0, s_calls.Length)];

    /// <summary>Npgsql says of a connection that broke that it is closed. One that its user closes between two calls has not failed.</summary>
    [Theory]
    [MemberData(nameof(Calls))]
    public async Task Connection_ClosesInTheMiddleOfACall_HasFailed(int call)
    {
        (string action, Func<It, DbTransaction, InterceptionResult, ValueTask> calls, Func<It, DbTransaction, Task> called) = s_calls[call];
        (await AfterAsync((it, of) => calls(it, of, default).AsTask())).ShouldBe((0, 1, 0));
        (await AfterAsync((it, of) => calls(it, of, InterceptionResult.Suppress()).AsTask())).ShouldBe((0, 0, 1), "the provider is not called");
        (await AfterAsync(async (it, of) =>
        {
            await calls(it, of, default);
            await called(it, of);
        })).ShouldBe((0, 0, 1), "the call is over");
        bool isEnd = action is "Commit" or "Rollback";
        (await AfterAsync(async (it, of) =>
        {
            await calls(it, of, default);
            await it.TransactionFailedAsync(of, Failure(of, action));
        })).ShouldBe(isEnd ? (0, 1, 0) : (0, 0, 1), "a savepoint that could not be made has not ended the transaction");
    }

    /// <summary>As with a gated data source.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task Begin_ThatTheProviderFails_HasFailed(bool isAsync, bool breaks)
    {
        using var test = new TestGate(1, static options => options.Adaptive = true);
        var source = new FakeDataSource();
        using var connection = new FakeConnection(source);
        connection.Open();
        source.Fails = breaks ? null : "begin";
        source.Beginning = () =>
        {
            connection.Break();
            throw new InvalidOperationException("the server is gone");
        };
        var interceptor = new TransactionGateInterceptor(test.Gate, default);

        await Should.ThrowAsync<InvalidOperationException>(async () => _ = isAsync ? await interceptor.TransactionStartingAsync(connection, Starting(), default)
            : interceptor.TransactionStarting(connection, Starting(), default));

        End(test).ShouldBe((0, 1, 0));
    }

    [Fact]
    public void Begin_InterruptedWhileItWaits_ThePermitThatComesLaterGoesBack()
    {
        using var test = new TestGate(1);
        using var connection = new FakeConnection(new FakeDataSource());
        var interceptor = new TransactionGateInterceptor(test.Gate, default);
        var held = test.Enter();
        var interrupted = new Interruptible(() => interceptor.TransactionStarting(connection, Starting(), default));
        Eventually.Be(() => test.Gate.GetSnapshot().Queued == 1, "it waits for a permit");

        interrupted.End();

        interrupted.WasInterrupted.ShouldBeTrue();
        held.Dispose();
        Eventually.Be(() => test.Gate.GetSnapshot() is { Held: 0, Queued: 0 }, "the permit is back");
        test.Enter();
    }

    /// <summary>It would wait with the locks of that one.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Begin_InsideATransactionOfTheSystem_NeverWaits(bool isAsync)
    {
        using var test = new TestGate(1, static options => options.QueueLimit = 0);
        using var connection = new FakeConnection(new FakeDataSource());
        var interceptor = new TransactionGateInterceptor(test.Gate, default);
        test.Enter();
        using var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);

        InterceptionResult<DbTransaction> result = isAsync ? await interceptor.TransactionStartingAsync(connection, Starting(), default)
            : interceptor.TransactionStarting(connection, Starting(), default);

        result.HasResult.ShouldBeFalse("the framework begins it");
        test.Gate.GetSnapshot().Held.ShouldBe(1);
    }

    /// <summary>A provider uses the object of a transaction again that is disposed, and the framework says of the dispose when that is over.</summary>
    [Fact]
    public void Dispose_ToldWhenTheObjectIsThatOfALaterTransaction_LeavesThatOneItsPermit()
    {
        using var test = new TestGate(1);
        using var connection = new FakeConnection(new FakeDataSource());
        connection.Open();
        (Guid earlier, Guid later) = (Guid.NewGuid(), Guid.NewGuid());
        DbTransaction begun = new It(test.Gate, default).TransactionStarting(connection, Starting(later), default).Result;
        using var framework = new DiagnosticListener(DbLoggerCategory.Name);

        Tell(earlier);
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        Tell(later);
        test.Gate.GetSnapshot().Held.ShouldBe(0);

        void Tell(Guid id) => framework.Write(
            RelationalEventId.TransactionDisposed.Name!, new TransactionEventData(null!, null!, begun, null, id, default, false, default));
    }

    /// <summary>How a transaction counts whose connection is closed after something else.</summary>
    private static async Task<(int Held, long Failed, long Ended)> AfterAsync(Func<It, DbTransaction, Task> something)
    {
        using var test = new TestGate(1, static options => options.Adaptive = true);
        using var connection = new FakeConnection(new FakeDataSource());
        connection.Open();
        var interceptor = new It(test.Gate, default);
        await something(interceptor, (await interceptor.TransactionStartingAsync(connection, Starting(), default)).Result);
        connection.Break();
        return End(test);
    }

    private static (int Held, long Failed, long Ended) End(TestGate test)
    {
        GateSnapshot end = test.Gate.GetSnapshot();
        return (end.Held, end.Adaptive!.Failed, end.Adaptive.Ended);
    }

    private static TransactionErrorEventData Failure(DbTransaction transaction, string action) =>
        new(null!, null!, transaction, null, default, default, false, action, new InvalidOperationException("failed"), default, default);

    private static ValueTask Said(InterceptionResult _) => default;

    private static Task Said(Action call)
    {
        call();
        return Task.CompletedTask;
    }

    private static TransactionStartingEventData Starting(Guid id = default) =>
        new(null!, null!, null, System.Data.IsolationLevel.Unspecified, id, default, false, default);
}
