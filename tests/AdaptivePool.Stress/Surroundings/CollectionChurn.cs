namespace AdaptivePool.Stress.Surroundings;

/// <summary>Makes garbage and collects it, so that all threads are stopped again and again and everything moves.</summary>
internal sealed class CollectionChurn : IDisposable
{
    private readonly Thread _thread;
    private bool _ends;

    public CollectionChurn(int seed)
    {
        _thread = new Thread(() => Churn(seed)) { IsBackground = true, Name = "churn" };
        _thread.Start();
    }

    public void Dispose()
    {
        Volatile.Write(ref _ends, true);
        _thread.Join();
    }

    private void Churn(int seed)
    {
        var dice = new Dice(seed, 77);
        object?[] kept = new object?[256];
        while (!Volatile.Read(ref _ends))
        {
            for (int i = 0; i < 500; i++)
            {
                kept[dice.Below(kept.Length)] = new byte[64 + dice.Below(4_000)];
            }

            GC.Collect(dice.Below(10) == 0 ? 2 : 0, GCCollectionMode.Forced, blocking: true, compacting: true);
            Thread.Yield();
        }
    }
}
