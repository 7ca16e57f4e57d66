using System.Collections.Concurrent;
using System.Data.Common;

namespace AdaptivePool.Tests.Data.Fakes;

/// <summary>A provider whose connections open when the test says so.</summary>
internal sealed class SlowDataSource : DbDataSource
{
    private readonly FakeDataSource _fake = new();

    public override string ConnectionString => "slow";

    /// <summary>What the provider did, in order.</summary>
    public List<string> Calls => _fake.Calls;

    /// <summary>Connections that are being opened.</summary>
    public ConcurrentQueue<TaskCompletionSource> Opening { get; } = [];

    /// <summary>Takes out the one that began first.</summary>
    public TaskCompletionSource Next() => Opening.TryDequeue(out TaskCompletionSource? next) ? next
        : throw new InvalidOperationException("None is being opened.");

    protected override DbConnection CreateDbConnection() => new FakeConnection(_fake)
    {
        Opening = () =>
        {
            var opening = new TaskCompletionSource();
            Opening.Enqueue(opening);
            return opening.Task;
        },
    };
}
