using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// One request on its way through the pool: the work item, and the source of the task that the server awaits. The rest of the server's work for the request (flush, completion callbacks, parsing the next request) is that
/// task's continuation. It runs inline on the worker that completes the task, but only while no context of ours is current: otherwise the runtime would queue it to its own pool, at the price of one more item and one more switch.
/// </summary>
internal sealed class RequestWorkItem : TaskCompletionSource, IThreadPoolWorkItem
{
    private static readonly ContextCallback s_start = static state => ((RequestWorkItem)state!).Start();

    private readonly RequestDelegate _next;
    private readonly HttpContext _context;

    // Null when the caller suppressed the flow.
    private readonly ExecutionContext? _executionContext = ExecutionContext.Capture();
    private Task _pipeline = Task.CompletedTask;
    private bool _endedInStart;

    private readonly BlockingAction? _onBlocking;

    public RequestWorkItem(RequestDelegate next, HttpContext context, BlockingAction? onBlocking)
    {
        _onBlocking = onBlocking;
        _next = next;
        _context = context;
    }

    public void Execute()
    {
        if (_executionContext is { } captured)
        {
            // Run, not Restore: what the request writes into AsyncLocals must not stay on the worker.
            ExecutionContext.Run(captured, s_start, this);
        }
        else
        {
            Start();
        }

        // Otherwise another worker may have ended the request by now, and the item must not be touched.
        if (_endedInStart)
        {
            End();
        }
    }

    private void Start()
    {
        Task pipeline;
        if (_onBlocking is { } action)
        {
            // Flows with the request, and ends with its context.
            StrictMode.Current = action;
        }

        try
        {
            pipeline = _next(_context) ?? throw new InvalidOperationException("The request pipeline returned null instead of a task.");
        }
        catch (Exception exception)
        {
            pipeline = FromThrown(exception);
        }

        _pipeline = pipeline;
        if (pipeline.IsCompleted)
        {
            _endedInStart = true;
        }
        else
        {
            // Captures the class's context, so that the request also ends on a worker: inline when the pipeline ends on one under the same context, posted as in-flight work otherwise.
            pipeline.GetAwaiter().UnsafeOnCompleted(End);
        }
    }

    private void End()
    {
        var context = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            // Keeps the exceptions with their stacks, and a cancellation with its token.
            SetFromTask(_pipeline);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    // What an async method would do with the exception: cancellation stays cancellation, anything else faults the task.
    private static Task FromThrown(Exception exception)
    {
        var builder = AsyncTaskMethodBuilder.Create();
        builder.SetException(exception);
        return builder.Task;
    }
}
