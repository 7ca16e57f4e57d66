using System.Data.Common;

namespace AdaptivePool.Admission;

/// <summary>One that waits for a kept connection, or with <see langword="null"/> for his turn to open one.</summary>
internal sealed class ConnectionWaiter(TimeSpan since) : TaskCompletionSource<DbConnection?>(TaskCreationOptions.RunContinuationsAsynchronously)
{
    public TimeSpan Since { get; } = since;

    /// <summary>Where he stands, for one who leaves early. Under the lock of the shelf.</summary>
    public LinkedListNode<ConnectionWaiter>? Place { get; set; }
}
