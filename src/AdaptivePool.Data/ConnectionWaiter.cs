using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>One that waits for a kept connection, or with <see langword="null"/> for his turn to open one.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <typeparam name="T">Type of connections.</typeparam>
internal sealed class ConnectionWaiter<TSync, T>(TimeSpan since) : TaskCompletionSource<T?>(TaskCreationOptions.RunContinuationsAsynchronously)
    where TSync : struct, ISync
    where T : class
{
    private int _isDecided;

    public TimeSpan Since { get; } = since;

    /// <summary>Where he stands, for one who leaves early. Under the lock of the shelf.</summary>
    public LinkedListNode<ConnectionWaiter<TSync, T>>? Place { get; set; }

    /// <summary>Gives him a connection, or the turn to open one; false when he has given up.</summary>
    public bool TryGive(T? connection)
    {
        bool isGiven = TryDecide();
        if (isGiven)
        {
            SetResult(connection);
        }

        return isGiven;
    }

    /// <summary>Tells him that he waits in vain, unless he has given up.</summary>
    public void Fail(Exception failure)
    {
        if (TryDecide())
        {
            SetException(failure);
        }
    }

    /// <summary>He gives up, unless he has been told already: then he has what he was given.</summary>
    public void Cancel(CancellationToken token)
    {
        if (TryDecide())
        {
            SetCanceled(token);
        }
    }

    // Pairs with itself: of one who gives and one who gives up exactly one wins. What is given, the task publishes.
    private bool TryDecide() => TSync.RelaxedCompareExchange(ref _isDecided, 1, 0) == 0;
}
