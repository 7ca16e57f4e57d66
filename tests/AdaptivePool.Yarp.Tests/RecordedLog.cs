using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace AdaptivePool.Yarp.Tests;

/// <summary>Keeps what is logged under our own names.</summary>
internal sealed class RecordedLog : ILoggerProvider
{
    private readonly ConcurrentQueue<string> _lines = new();

    public IReadOnlyCollection<string> Lines => _lines;

    public ILogger CreateLogger(string categoryName) => new Recorder(categoryName, _lines);

    public void Dispose()
    {
    }

    private sealed class Recorder(string category, ConcurrentQueue<string> lines) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => category.StartsWith("AdaptivePool.", StringComparison.Ordinal);

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
            {
                lines.Enqueue($"{logLevel}: {formatter(state, exception)}");
            }
        }
    }
}
