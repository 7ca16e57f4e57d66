namespace AdaptivePool.Tests.Contracts;

/// <summary>
/// A scheduler that a user writes on top of a pool: at most so many of its tasks run at once. The usual sample, once for each way to reach the pool.
/// </summary>
internal sealed class LimitedScheduler(AdaptiveThreadPool pool, LimitedScheduler.Way way, int limit) : TaskScheduler
{
    // For the method without a state. One test at a time uses it.
    private static readonly System.Collections.Concurrent.ConcurrentQueue<LimitedScheduler> s_started = new();

    private readonly Queue<Task> _tasks = [];
    private int _running;

    public enum Way
    {
        RunMethod,
        RunStaticMethod,
        CallbackIsStaticMethod,
        RunLambda,
        RunAsync,
        RunValueTask,
        RunForTenant,
        RunRoutedAsync,
        WorkItem,
        WorkItemOfTenant,
        StartNewWithState,
        StartNewWithoutContext,
        ContextCleared,
    }

    public override int MaximumConcurrencyLevel => limit;

    protected override void QueueTask(Task task)
    {
        lock (_tasks)
        {
            _tasks.Enqueue(task);
            if (_running == limit)
            {
                return;
            }

            _running++;
        }

        Start();
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

    protected override IEnumerable<Task> GetScheduledTasks() => [];

    private void Start()
    {
        switch (way)
        {
            case Way.RunMethod:
                _ = pool.Run(Process);
                break;
            case Way.RunStaticMethod:
                s_started.Enqueue(this);
                _ = pool.Run(ProcessStarted);
                break;
            case Way.CallbackIsStaticMethod:
                pool.UnsafeQueueUserWorkItem(ProcessState, this);
                break;
            case Way.RunLambda:
                LimitedScheduler captured = this;
                int number = _running;
                _ = pool.Run(() =>
                {
                    captured.Process();
                    return number;
                });
                break;
            case Way.RunAsync:
                _ = pool.Run(async () =>
                {
                    await Task.Yield();
                    Process();
                });
                break;
            case Way.RunValueTask:
                _ = pool.Run(() =>
                {
                    Process();
                    return ValueTask.CompletedTask;
                });
                break;
            case Way.RunForTenant:
                _ = pool.DefaultClass.RunFor("tenant", Process);
                break;
            case Way.RunRoutedAsync:
                _ = pool.DefaultClass.RunRouted(1, async () =>
                {
                    await Task.Yield();
                    Process();
                });
                break;
            case Way.WorkItemOfTenant:
                pool.DefaultClass.UnsafeQueueUserWorkItemFor("tenant", new Item(this));
                break;
            case Way.WorkItem:
                pool.UnsafeQueueUserWorkItem(new Item(this), preferLocal: false);
                break;
            case Way.StartNewWithState:
                _ = pool.Factory.StartNew(static state => ((LimitedScheduler)state!).Process(), this);
                break;
            case Way.StartNewWithoutContext:
                _ = Task.Factory.StartNew(Process, CancellationToken.None, TaskCreationOptions.None, pool.Scheduler.WithoutSynchronizationContext);
                break;
            default:
                _ = pool.Factory.StartNew(() =>
                {
                    SynchronizationContext.SetSynchronizationContext(null);
                    Process();
                });
                break;
        }
    }

    private static void ProcessStarted()
    {
        if (s_started.TryDequeue(out LimitedScheduler? scheduler))
        {
            scheduler.Process();
        }
    }

    private static void ProcessState(object? scheduler) => ((LimitedScheduler)scheduler!).Process();

    private void Process()
    {
        while (true)
        {
            Task? task;
            lock (_tasks)
            {
                if (!_tasks.TryDequeue(out task))
                {
                    _running--;
                    return;
                }
            }

            TryExecuteTask(task);
        }
    }

    private sealed class Item(LimitedScheduler scheduler) : IThreadPoolWorkItem
    {
        public void Execute() => scheduler.Process();
    }
}
