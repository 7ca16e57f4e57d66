using System.Collections.Concurrent;

namespace AdaptivePool.Tests.Contracts.Programs;

/// <summary>What runs programs: a pool or, as the control, the runtime's. And what the programs of one test share.</summary>
/// <param name="pool">The pool; <see langword="null"/> for the runtime's.</param>
internal sealed class ProgramHost(AdaptiveThreadPool? pool)
{
    private readonly AsyncLocal<object?> _flowing = new();
    private int _inLock;

    public AdaptiveThreadPool? Pool => pool;

    public TaskFactory Factory { get; } = pool?.Factory ?? new TaskFactory(TaskScheduler.Default);

    public TaskScheduler Scheduler => Factory.Scheduler!;

    public TaskScheduler Concurrent { get; } = new ConcurrentExclusiveSchedulerPair(pool?.Scheduler ?? TaskScheduler.Default).ConcurrentScheduler;

    public SemaphoreSlim Lock { get; } = new(1, 1);

    /// <summary>What was seen that must never be.</summary>
    public ConcurrentBag<string> Faults { get; } = [];

    public Task<T> Run<T>(Func<Task<T>> function) => pool?.Run(function) ?? Task.Run(function);

    public Task<T> Run<T>(Func<T> function) => pool?.Run(function) ?? Task.Run(function);

    /// <summary>Runs a child where the host's work belongs.</summary>
    public Task<int> Run(RandomProgram child) => Run(() => child.Run(this));

    /// <summary>Runs children there, all at once; none throws.</summary>
    public Task<(int Sum, int? Thrown)>[] TryAll(RandomProgram program) => [.. program.Children.Select(child => Run(() => child.Try(this)))];

    /// <summary>Posts to the host's context.</summary>
    public void Post(Action action)
    {
        if (pool is null)
        {
            ThreadPool.QueueUserWorkItem(static state => state(), action, preferLocal: false);
        }
        else
        {
            pool.SynchronizationContext.Post(static state => ((Action)state!)(), action);
        }
    }

    public void Queue(Action action, bool preferLocal)
    {
        if (pool is null)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static state => state(), action, preferLocal);
        }
        else
        {
            pool.UnsafeQueueUserWorkItem(static state => state!(), action, preferLocal);
        }
    }

    /// <summary>Is between two of its calls alone.</summary>
    public void EnterLock(int by) => Expect(Interlocked.Add(ref _inLock, by) == Math.Max(0, by), "two were in the lock at once");

    /// <summary>A value of the flow of whoever calls, in which a child may change it without being seen.</summary>
    public async Task<int> RunUnderValue(RandomProgram child)
    {
        object mine = new();
        _flowing.Value = mine;
        int sum = await Run(async () =>
        {
            Expect(_flowing.Value == mine, "a value did not flow in");
            await Task.Yield();
            Expect(_flowing.Value == mine, "a value did not flow over an await");
            _flowing.Value = null;
            return await child.Run(this);
        });
        Expect(_flowing.Value == mine, "a value flowed out");
        return sum;
    }

    public void Expect(bool isSo, string fault)
    {
        if (!isSo)
        {
            Faults.Add(fault);
        }
    }

    /// <summary>The sum of what children gave, or the exception of the first that threw.</summary>
    public static int Sum((int Sum, int? Thrown)[] all) =>
        RandomProgram.Together(all) is { Thrown: null, Sum: var sum } ? sum : throw new ProgramException(RandomProgram.Together(all).Thrown!.Value);
}
