using System.Data.Common;
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

    /// <summary>As with a gated data source. It never came to the framework, because another gate refused.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Abandon_OfOneThatTheProviderCannotDispose_HasFailed(bool fails)
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        var source = new FakeDataSource();
        using var connection = new FakeConnection(source);
        connection.Open();
        var beginner = Guid.NewGuid();
        var lease = ConnectionLease.Enter(test.Gate, default, connection, beginner);
        DbTransaction begun = connection.BeginTransaction();
        lease.Begun(begun, id: default, orphanOf: beginner);
        source.Fails = fails ? "dispose" : null;

        ConnectionLease.Abandon(begun);

        GateSnapshot end = test.Gate.GetSnapshot();
        (end.Held, end.Adaptive!.Failed, end.Adaptive.Ended).ShouldBe((0, fails ? 1 : 0, fails ? 0 : 1));
    }

    /// <summary>As the first query of a split query, whose rows the framework buffers before the second one runs. A caller that kept the permit of the second
    /// gate while it waited for the first one could wait for a caller that has that one and waits for the second.</summary>
    [Fact]
    public void Enter_AfterAReaderThatClosedWithoutAWord_LeavesTheOtherGatesOfTheConnection()
    {
        using var first = new TestGate(1);
        using var second = new TestGate(1);
        var source = new FakeDataSource();
        using var connection = new FakeConnection(source);
        connection.Open();
        using var reader = new FakeReader(source);
        foreach (TestGate test in new[] { first, second })
        {
            ConnectionLease.Enter(test.Gate, default, connection, beginner: null).Reader = reader;
        }

        reader.Close();
        var next = ConnectionLease.Enter(first.Gate, default, connection, beginner: null);

        (first.Gate.GetSnapshot().Held, second.Gate.GetSnapshot().Held).ShouldBe((1, 0));
        next.End();
    }
}
