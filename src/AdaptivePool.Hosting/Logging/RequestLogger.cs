namespace AdaptivePool.Hosting.Logging;

/// <summary>
/// The log for entries during a request. A log throws when one of its providers throws, and the request would get an error response because of a line that
/// was not written. The exception is not reported, because only the log could report it.
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
            // The request continues.
        }
    }
}
