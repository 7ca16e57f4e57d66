namespace AdaptivePool.Hosting.Logging;

/// <summary>
/// The log for what is told on the way of a request. A log throws when one of its providers does, and a request would be answered with an error for a line that
/// was not written. Nobody is told of that: it is the log who would tell.
/// </summary>
/// <param name="inner">The application's log.</param>
internal sealed class RequestLogger(ILogger inner) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => inner.BeginScope(state);

    public bool IsEnabled(LogLevel logLevel)
    {
        try
        {
            return inner.IsEnabled(logLevel);
        }
        catch (Exception)
        {
            return false;
        }
    }

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        try
        {
            inner.Log(logLevel, eventId, state, exception, formatter);
        }
        catch (Exception)
        {
            // The request goes on.
        }
    }
}
