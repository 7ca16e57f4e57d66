using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>Keeps what an application logs.</summary>
internal sealed class RecordedLog : ILoggerProvider, ILogger
{
    private readonly ConcurrentQueue<(LogLevel Level, string Event, string Text)> _lines = new();

    public IReadOnlyCollection<(LogLevel Level, string Event, string Text)> Lines => _lines;

    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        _lines.Enqueue((logLevel, eventId.Name ?? "", formatter(state, exception)));

    public void Dispose()
    {
    }
}
