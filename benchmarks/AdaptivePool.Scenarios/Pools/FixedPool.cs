using System.Collections.Concurrent;

namespace AdaptivePool.Scenarios.Pools;

/// <summary>A deliberately simple pool: N threads over one blocking queue. It says what a given size is worth; it does not compete on dispatch.</summary>
public sealed class FixedPool
{
    private readonly BlockingCollection<object> _queue = [];
    private readonly FixedPoolTaskScheduler _scheduler;
    private int _busy;

    /// <summary>Starts the threads.</summary>
    public FixedPool(int size)
    {
        Size = size;
        Context = new FixedPoolContext(this);
        _scheduler = new FixedPoolTaskScheduler(this);
        Factory = new TaskFactory(CancellationToken.None, TaskCreationOptions.DenyChildAttach, TaskContinuationOptions.None, _scheduler);
        for (int i = 0; i < size; i++)
        {
            new Thread(Work) { IsBackground = true, Name = $"fixed {i}" }.UnsafeStart();
        }
    }

    /// <summary>Number of threads.</summary>
    public int Size { get; }

    /// <summary>Threads that hold an item.</summary>
    public int Busy => Volatile.Read(ref _busy);

    /// <summary>Tasks on this pool.</summary>
    public TaskFactory Factory { get; }

    /// <summary>Brings awaits back to this pool.</summary>
    public SynchronizationContext Context { get; }

    /// <summary>Queues a Task of this pool's scheduler, a work item, or an <see cref="Action"/>.</summary>
    public void Add(object work) => _queue.Add(work);

    /// <summary>Runs an asynchronous function whose awaits come back to this pool.</summary>
    public Task Run(Func<Task> function)
    {
        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Add((Action)(() => _ = RelayAsync(function, done)));
        return done.Task;
    }

    private static async Task RelayAsync(Func<Task> function, TaskCompletionSource done)
    {
        try
        {
            await function().ConfigureAwait(false);
            done.SetResult();
        }
        catch (Exception exception)
        {
            done.SetException(exception);
        }
    }

    private void Work()
    {
        SynchronizationContext.SetSynchronizationContext(Context);
        foreach (object work in _queue.GetConsumingEnumerable())
        {
            Interlocked.Increment(ref _busy);
            switch (work)
            {
                case Action action:
                    action();
                    break;
                case Task task:
                    _scheduler.Execute(task);
                    break;
                default:
                    ((IThreadPoolWorkItem)work).Execute();
                    break;
            }

            Interlocked.Decrement(ref _busy);
        }
    }
}
