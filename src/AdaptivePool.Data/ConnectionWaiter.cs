using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>A caller that waits for a kept connection or, with <see langword="null"/>, for its turn to open one.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <typeparam name="T">Type of connections.</typeparam>
internal sealed class ConnectionWaiter<TSync, T>(TimeSpan since) : TaskCompletionSource<T?>(TaskCreationOptions.RunContinuationsAsynchronously)
    where TSync : struct, ISync
    where T : class
{
    private int _isDecided;

    public TimeSpan Since { get; } = since;

    /// <summary>Its place in the queue, for a caller that leaves early. Under the lock of the shelf.</summary>
    public LinkedListNode<ConnectionWaiter<TSync, T>>? Place { get; set; }

    /// <summary>Gives it a connection, or the turn to open one; false when it has given up.</summary>
    public bool TryGive(T? connection)
    {
        bool isGiven = TryDecide();
        if (isGiven)
        {
            SetResult(connection);
        }

        return isGiven;
    }

    /// <summary>Tells it that it waits in vain, unless it has given up.</summary>
    public void Fail(Exception failure)
    {
        if (TryDecide())
        {
            SetException(failure);
        }
    }

    /// <summary>It gives up, unless it has its answer already: then it keeps what it was given.</summary>
    public void Cancel(CancellationToken token)
    {
        if (TryDecide())
        {
            SetCanceled(token);
        }
    }

    // Pairs with itself: of a thread that gives and a caller that gives up exactly one wins. What is given, the task publishes.
    private bool TryDecide() => TSync.RelaxedCompareExchange(ref _isDecided, 1, 0) == 0;
}
