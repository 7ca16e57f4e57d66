namespace AdaptivePool.Dispatch.Queues;

/// <summary>Holds the place of an item that was taken out of the middle of a queue, or makes a queue let go of what was read there.</summary>
internal sealed class RemovedItem : IThreadPoolWorkItem
{
    public static readonly RemovedItem Instance = new();

    public void Execute()
    {
        // What stood here has run inline, or there was nothing.
    }
}
