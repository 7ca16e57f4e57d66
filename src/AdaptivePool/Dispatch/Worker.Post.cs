namespace AdaptivePool.Dispatch;

internal sealed partial class Worker<TSync>
{
    /// <summary>Emptied items kept: as many as chains of awaits usually alternate on one worker; more would only hold memory.</summary>
    private const int MostKept = 32;

    private readonly PostedItem?[] _kept = new PostedItem?[MostKept];
    private int _keptCount;

    /// <summary>Queues what follows an await of the item that runs here. On the worker itself.</summary>
    [BypassReadyToRun]
    public void Post(PoolSynchronizationContext context, SendOrPostCallback callback, object? state)
    {
        PostedItem item = _keptCount > 0 ? _kept[--_keptCount]! : new PostedItem();
        PushLocal(item.With(context, callback, state), fair: true);
    }

    /// <summary>
    /// Keeps an emptied item for the next <see cref="Post"/>. On the worker itself, which took the item from its queue and so is the only one that holds it.
    /// </summary>
    [BypassReadyToRun]
    public void Keep(PostedItem item)
    {
        if (_keptCount < MostKept)
        {
            _kept[_keptCount++] = item;
        }
    }
}
