namespace AdaptivePool.Scenarios.Scenarios.Gate;

/// <summary>A way to pass a gate many times.</summary>
public abstract class GatePasses
{
    private const int Block = 256;

    /// <summary>Passes so many times in all, and waits for it.</summary>
    public abstract void Run(int count);

    /// <summary>Passes in blocks, so that the loop is a method that is called often: one that is called once per measurement stays in code that was compiled
    /// for its first run.</summary>
    protected static void InBlocks(int count, Action<int> pass)
    {
        for (int i = 0; i < count; i += Block)
        {
            pass(Math.Min(Block, count - i));
        }
    }

    /// <summary>Divides the passes among threads, of which the caller is one.</summary>
    protected static void Divide(int count, int threads, Action<int> pass)
    {
        Thread[] others = [.. Enumerable.Range(1, threads - 1).Select(_ => new Thread(() => InBlocks(count / threads, pass)) { IsBackground = true })];
        foreach (Thread thread in others)
        {
            thread.Start();
        }

        InBlocks(count / threads, pass);
        foreach (Thread thread in others)
        {
            thread.Join();
        }
    }
}
