using System.Collections.Concurrent;
using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>What happened in one request of a scene, in its order.</summary>
internal sealed class Trace
{
    /// <summary>Header by which a request says which one it is.</summary>
    public const string Header = "X-Scene";

    private static readonly AsyncLocal<Trace?> s_current = new();

    private readonly ConcurrentQueue<string> _lines = new();
    private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>That of the request in whose flow the caller runs.</summary>
    public static Trace? Current
    {
        get => s_current.Value;
        set => s_current.Value = value;
    }

    /// <summary>Ends when the server has done everything for the request.</summary>
    public Task End => _end.Task;

    public IReadOnlyCollection<string> Lines => _lines;

    public static Trace Of(HttpContext context) => context.Features.Get<Trace>()!;

    public void Add(string line) => _lines.Enqueue(line);

    public void Finish() => _end.TrySetResult();

    /// <summary>An exception in words that no thread and no stack is part of.</summary>
    public static string Say(Exception exception, CancellationToken aborted = default) => exception switch
    {
        OperationCanceledException cancelled =>
            $"{exception.GetType().Name}{(aborted.CanBeCanceled && cancelled.CancellationToken == aborted ? " of the request" : "")}",
        AggregateException several => $"AggregateException({string.Join(", ", several.InnerExceptions.Select(static it => Say(it)))})",
        _ => $"{exception.GetType().Name} '{exception.Message}'{(exception.InnerException is { } inner ? $" by {Say(inner)}" : "")}",
    };
}
