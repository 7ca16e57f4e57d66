namespace AdaptivePool.Dispatch.Queues;

/// <summary>Holds the place of an item that was taken out of the middle of a queue.</summary>
internal sealed class RemovedItem : IThreadPoolWorkItem
{
    public static readonly RemovedItem Instance = new();

    private RemovedItem()
    {
    }

    public void Execute()
    {
        // What stood here has run inline.
    }
}
