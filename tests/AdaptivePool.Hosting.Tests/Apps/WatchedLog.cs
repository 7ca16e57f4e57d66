using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Logging;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>Does something whenever an application logs an event.</summary>
/// <param name="name">The event.</param>
/// <param name="then">What is done where it is logged.</param>
internal sealed class WatchedLog(string name, Action then) : ILoggerProvider, ILogger
{
    private int _count;

    /// <summary>How often the event was logged.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>A log that cannot write the event.</summary>
    public static WatchedLog Throwing(string name) => new(name, static () => throw new InvalidOperationException("log"));

    public void AddTo(WebApplicationBuilder builder) => builder.Logging.AddProvider(this).AddFilter("AdaptivePool", LogLevel.Trace);

    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (eventId.Name == name)
        {
            Interlocked.Increment(ref _count);
            then();
        }
    }

    public void Dispose()
    {
    }
}
