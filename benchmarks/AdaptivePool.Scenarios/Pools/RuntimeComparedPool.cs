using System.Globalization;

namespace AdaptivePool.Scenarios.Pools;

/// <summary>The runtime's own pool: the baseline; or the same with a number of threads set by hand, as users do who know their work.</summary>
public sealed class RuntimeComparedPool : ComparedPool
{
    /// <summary>The pool as the runtime sizes it.</summary>
    public RuntimeComparedPool()
    {
    }

    /// <summary>The pool with so many threads.</summary>
    /// <param name="threads">Fewest and most threads.</param>
    /// <exception cref="InvalidOperationException">The runtime refuses the number: it is less than its processors.</exception>
    public RuntimeComparedPool(int threads)
    {
        Name = string.Create(CultureInfo.InvariantCulture, $"runtime-{threads}");
        ThreadPool.GetMinThreads(out _, out int minCompletion);
        ThreadPool.GetMaxThreads(out _, out int maxCompletion);
        if (!ThreadPool.SetMaxThreads(threads, maxCompletion) || !ThreadPool.SetMinThreads(threads, minCompletion))
        {
            throw new InvalidOperationException($"The runtime refuses {threads} threads.");
        }
    }

    /// <inheritdoc/>
    public override string Name { get; } = "runtime";

    /// <inheritdoc/>
    public override TaskFactory Factory { get; } =
        new(CancellationToken.None, TaskCreationOptions.DenyChildAttach, TaskContinuationOptions.None, TaskScheduler.Default);

    /// <inheritdoc/>
    public override void Queue(IThreadPoolWorkItem item, bool preferLocal) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal);

    /// <inheritdoc/>
    public override Task Run(Action action) => Task.Run(action);

    /// <inheritdoc/>
    public override Task Run(Func<Task> function) => Task.Run(function);

    /// <summary>The same pool, the only one of the process.</summary>
    public override ComparedPool WithMaximum(int maxThreads, int maxClasses)
    {
        ThreadPool.SetMaxThreads(maxThreads, maxThreads);
        return this;
    }

    /// <inheritdoc/>
    public override PoolReading Read()
    {
        int threads = ThreadPool.ThreadCount;
        return new(threads, threads, threads, threads);
    }
}
