using Microsoft.Extensions.Logging;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Writes warnings and what is worse into the trace of the request in whose flow they are logged, with the scopes of the scene.</summary>
internal sealed class TracingLog : ILoggerProvider, ISupportExternalScope
{
    private IExternalScopeProvider? _scopes;

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    public void SetScopeProvider(IExternalScopeProvider scopeProvider) => _scopes = scopeProvider;

    public void Dispose()
    {
    }

    private sealed class Logger(TracingLog owner, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            // Those of the pool itself, and what is told once for each process or start, are no part of an answer.
            if (!IsEnabled(logLevel) || Trace.Current is not { } trace || category.StartsWith("AdaptivePool", StringComparison.Ordinal)
                || category.StartsWith("Microsoft.AspNetCore.DataProtection", StringComparison.Ordinal))
            {
                return;
            }

            List<string> scopes = [];
            owner._scopes?.ForEachScope((scope, list) => list.Add(scope as string ?? ""), scopes);
            trace.Add($"log {logLevel} {category} {eventId.Name} [{string.Join(',', scopes)}]{(exception is null ? "" : " " + Trace.Say(exception))}");
        }
    }
}
