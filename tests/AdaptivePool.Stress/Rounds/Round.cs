namespace AdaptivePool.Stress.Rounds;

/// <summary>A piece of a run with a pool of its own. It ends when everything it submitted has ended.</summary>
internal abstract class Round
{
    /// <summary>Runs it.</summary>
    /// <param name="tally">The account of the run.</param>
    /// <param name="seed">Seed of its choices.</param>
    /// <param name="most">Items it should not exceed by much.</param>
    public abstract void Run(Tally tally, int seed, long most);

    /// <summary>Runs bodies on threads outside the pool, and ends when they have.</summary>
    protected static Thread[] Start(int count, Action<int> body)
    {
        Thread[] threads = [.. Enumerable.Range(0, count).Select(i => new Thread(() => body(i)) { IsBackground = true, Name = "producer " + i })];
        Array.ForEach(threads, static t => t.Start());
        return threads;
    }

    /// <summary>Waits for threads outside the pool.</summary>
    protected static void Join(Thread[] threads) => Array.ForEach(threads, static t => t.Join());
}
