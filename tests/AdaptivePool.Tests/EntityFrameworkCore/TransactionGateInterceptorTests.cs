using System.Data.Common;
using System.Transactions;
using AdaptivePool.EntityFrameworkCore;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace AdaptivePool.Tests.EntityFrameworkCore;

public sealed class TransactionGateInterceptorTests
{
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

    private static TransactionStartingEventData Starting() => new(null!, null!, null, System.Data.IsolationLevel.Unspecified, default, default, false, default);
}
