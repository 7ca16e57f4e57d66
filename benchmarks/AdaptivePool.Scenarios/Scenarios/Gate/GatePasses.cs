namespace AdaptivePool.Scenarios.Scenarios.Gate;

/// <summary>A way to pass a gate many times.</summary>
public abstract class GatePasses
{
    /// <summary>Passes so many times in all, and waits for it.</summary>
    public abstract void Run(int count);

    /// <summary>Divides the passes among threads, of which the caller is one.</summary>
    protected static void Divide(int count, int threads, Action<int> pass)
    {
        Thread[] others = [.. Enumerable.Range(1, threads - 1).Select(_ => new Thread(() => pass(count / threads)) { IsBackground = true })];
        foreach (Thread thread in others)
        {
            thread.Start();
        }

        pass(count / threads);
        foreach (Thread thread in others)
        {
            thread.Join();
        }
    }
}
