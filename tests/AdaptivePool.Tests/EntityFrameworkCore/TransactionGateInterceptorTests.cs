using System.Data;
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

    private static TransactionStartingEventData Starting() => new(null!, null!, null, IsolationLevel.Unspecified, default, default, false, default);
}
