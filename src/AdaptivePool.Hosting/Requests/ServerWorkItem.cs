namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// A piece of the server's work on its way through a pool: the work item, and the source of the task that the server awaits. The rest of the
/// server's work (of a request: flush, completion callbacks, parsing the next one) is that task's continuation. It runs inline on the worker
/// that completes the task, but only while no context of ours is current: otherwise the runtime would queue it to its own pool, at the price
/// of one more item and one more switch.
/// </summary>
/// <param name="onBlocking">What happens when it blocks; null when the class or the pool decides.</param>
internal abstract class ServerWorkItem(BlockingAction? onBlocking) : TaskCompletionSource, IRefusableWorkItem
{
    private static readonly ContextCallback s_start = static state => ((ServerWorkItem)state!).Start();
    private static readonly ContextCallback s_answer = static state =>
    {
        var (item, refusal) = ((ServerWorkItem, WorkRefusedException))state!;
        item.AnswerTo(refusal);
    };

    // Null when the caller suppressed the flow.
    private readonly ExecutionContext? _executionContext = ExecutionContext.Capture();
    private Task _work = Task.CompletedTask;
    private bool _endedInStart;

    public void Execute()
    {
        Run(s_start, this);

        // Otherwise another worker may have ended the work by now, and the item must not be touched.
        if (_endedInStart)
        {
            End();
        }
    }

    public void Refuse(WorkRefusedException refusal)
    {
        // If the item was refused late, nothing of its caller flows here by itself, and what is logged belongs to the caller's activity.
        Run(s_answer, (this, refusal));
        End();
    }

    /// <summary>Begins the work.</summary>
    protected abstract Task Begin();

    /// <summary>Takes the place of the work when its class refuses it. Runs synchronously.</summary>
    /// <returns>A task that has ended.</returns>
    protected abstract Task Answer(WorkRefusedException refusal);

    /// <summary>The work has ended, in whatever way. The server does not know yet.</summary>
    protected virtual void OnEnd()
    {
    }

    private void Run(ContextCallback callback, object state)
    {
        if (_executionContext is { } captured)
        {
            // Run, not Restore: what the work writes into AsyncLocals must not stay on the worker.
            ExecutionContext.Run(captured, callback, state);
        }
        else
        {
            callback(state);
        }
    }

    private void AnswerTo(WorkRefusedException refusal)
    {
        try
        {
            _work = Answer(refusal);
        }
        catch (Exception exception)
        {
            _work = FromThrown(exception);
        }
    }

    private void Start()
    {
        if (onBlocking is { } action)
        {
            // Flows with the work, and ends with its context.
            AdaptiveThreadPool.CurrentBlockingAction = action;
        }

        try
        {
            _work = Begin();
        }
        catch (Exception exception)
        {
            _work = FromThrown(exception);
        }

        _endedInStart = _work.IsCompleted;
        if (!_endedInStart)
        {
            // Captures the class's context, so that the work also ends on a worker: inline when it ends on one under the same context, posted as in-flight
            // work otherwise.
            _work.GetAwaiter().UnsafeOnCompleted(End);
        }
    }

    private void End()
    {
        OnEnd();
        using var none = new NoContext();

        // Keeps the exceptions with their stacks, and a cancellation with its token.
        SetFromTask(_work);
    }

    // What an async method would do with the exception: cancellation stays cancellation, anything else faults the task.
    private static Task FromThrown(Exception exception)
    {
        var builder = AsyncTaskMethodBuilder.Create();
        builder.SetException(exception);
        return builder.Task;
    }
}
