using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>
/// Moves the loop of a connection to a work class with each message for which it waited. This is root work, because a message comes from outside. The pipe of
/// a connection ignores the reader's context, and would leave the loop on the runtime's pool.
/// </summary>
/// <param name="inner">The connection's input. One reader at a time, as with any pipe.</param>
/// <param name="target">Where the loop runs.</param>
internal sealed class MessageReader(PipeReader inner, RequestTarget target) : PipeReader, IValueTaskSource<ReadResult>, IThreadPoolWorkItem
{
    private static readonly ContextCallback s_goOn = static state => ((MessageReader)state!).GoOn();

    private Action? _queue;
    private ValueTask<ReadResult> _read;
    private Action<object?>? _continuation;
    private object? _state;
    private ExecutionContext? _executionContext;

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        var read = inner.ReadAsync(cancellationToken);
        if (read.IsCompleted)
        {
            return read;
        }

        _read = read;
        return new ValueTask<ReadResult>(this, 0);
    }

    public override bool TryRead(out ReadResult result) => inner.TryRead(out result);

    public override void AdvanceTo(SequencePosition consumed) => inner.AdvanceTo(consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => inner.AdvanceTo(consumed, examined);

    public override void CancelPendingRead() => inner.CancelPendingRead();

    public override void Complete(Exception? exception = null) => inner.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => inner.CompleteAsync(exception);

    ValueTaskSourceStatus IValueTaskSource<ReadResult>.GetStatus(short token) => _read switch
    {
        { IsCompleted: false } => ValueTaskSourceStatus.Pending,
        { IsCanceled: true } => ValueTaskSourceStatus.Canceled,
        { IsFaulted: true } => ValueTaskSourceStatus.Faulted,
        _ => ValueTaskSourceStatus.Succeeded,
    };

    ReadResult IValueTaskSource<ReadResult>.GetResult(short token) => _read.GetAwaiter().GetResult();

    void IValueTaskSource<ReadResult>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        _continuation = continuation;
        _state = state;
        _executionContext = flags.HasFlag(ValueTaskSourceOnCompletedFlags.FlowExecutionContext) ? ExecutionContext.Capture() : null;

        // Last: from here on the item may run.
        _read.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(_queue ??= Queue);
    }

    void IThreadPoolWorkItem.Execute()
    {
        if (_executionContext is { } captured)
        {
            ExecutionContext.Run(captured, s_goOn, this);
        }
        else
        {
            GoOn();
        }
    }

    // A connection that was accepted is never refused.
    private void Queue() => target.Continue(this);

    private void GoOn()
    {
        var continuation = _continuation!;
        var state = _state;
        _continuation = null;
        _state = null;
        continuation(state);
    }
}
