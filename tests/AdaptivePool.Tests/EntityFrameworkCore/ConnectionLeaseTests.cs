using AdaptivePool.Admission;
using AdaptivePool.EntityFrameworkCore;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.EntityFrameworkCore;

public sealed class ConnectionLeaseTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Connection_Closes_AnEarlierFailureIsNotForgotten(bool hasFailed)
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        using var connection = new FakeConnection(new FakeDataSource());
        connection.Open();
        var lease = ConnectionLease.Enter(test.Gate, default, connection, beginner: null);
        if (hasFailed)
        {
            lease.MarkFailed();
        }

        connection.Close();

        GateSnapshot end = test.Gate.GetSnapshot();
        (end.Held, end.Adaptive!.Failed).ShouldBe((0, hasFailed ? 1 : 0));
    }
}
