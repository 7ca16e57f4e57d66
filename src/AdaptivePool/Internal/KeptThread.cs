namespace AdaptivePool.Internal;

/// <summary>
/// A section in which foreign code runs on a thread that is not its own. At the end of the section the thread is as it was before. The runtime's pool does
/// the same between two items.
/// </summary>
internal readonly ref struct KeptThread
{
    private readonly Thread _thread = Thread.CurrentThread;
    private readonly ExecutionContext? _flow = ExecutionContext.Capture();
    private readonly SynchronizationContext? _context = SynchronizationContext.Current;
    private readonly string? _name;
    private readonly ThreadPriority _priority;
    private readonly bool _isBackground;

    public KeptThread() => (_name, _priority, _isBackground) = (_thread.Name, _thread.Priority, _thread.IsBackground);

    public void Dispose()
    {
        // Nothing was captured where the flow is suppressed. The caller must undo what was set there.
        if (_flow is not null)
        {
            ExecutionContext.Restore(_flow);
        }

        // Last of the two: the handlers of AsyncLocals are told of the restored values, and may set a context.
        SynchronizationContext.SetSynchronizationContext(_context);

        if (_thread.Priority != _priority)
        {
            _thread.Priority = _priority;
        }

        if (_thread.IsBackground != _isBackground)
        {
            _thread.IsBackground = _isBackground;
        }

        if (!ReferenceEquals(_thread.Name, _name))
        {
            _thread.Name = _name;
        }
    }
}
