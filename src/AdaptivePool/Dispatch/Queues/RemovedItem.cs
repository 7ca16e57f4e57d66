namespace AdaptivePool.Dispatch.Queues;

/// <summary>Holds the place of an item that was taken from the middle of a queue, or makes a queue release items that were read there.</summary>
internal sealed class RemovedItem : IThreadPoolWorkItem
{
    public static readonly RemovedItem Instance = new();

    public void Execute()
    {
        // The item that was here has run inline, or there was none.
    }
}
