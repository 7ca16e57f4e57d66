namespace AdaptivePool.Tests.Contracts;

/// <summary>
/// What any task scheduler on worker threads owes its users. Runs against our schedulers and, as a check of the contract itself, against the runtime's own.
/// Each aspect has a file of its own.
/// </summary>
public abstract partial class TaskSchedulerContract : PoolTest
{
    protected abstract TaskScheduler Scheduler { get; }

    protected abstract SchedulerTraits Traits { get; }

    protected TaskFactory Factory => new(CancellationToken.None, TaskCreationOptions.None, TaskContinuationOptions.None, Scheduler);

    /// <summary>Whether the calling thread is one where items of this scheduler may run.</summary>
    protected bool IsOnAWorker => Thread.CurrentThread.IsThreadPoolThread == Traits.UsesRuntimePool
        && (Traits.UsesRuntimePool || AdaptiveThreadPool.Current is not null);

    /// <summary>Runs the function on a thread of its own that belongs to no pool, and gives back its result.</summary>
    protected static T OnForeignThread<T>(Func<T> function)
    {
        var done = new TaskCompletionSource<T>();
        var thread = new Thread(() =>
        {
            try
            {
                done.SetResult(function());
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        })
        { IsBackground = true };
        thread.Start();
        return Eventually.Result(done.Task);
    }
}
