namespace AdaptivePool.Stress.Rounds;

/// <summary>An item that ends with an exception.</summary>
internal sealed class ThrowingItem(Tally tally) : IThreadPoolWorkItem
{
    public void Execute()
    {
        tally.Complete();
        throw new InvalidOperationException("meant");
    }
}
