using System.Threading.Tasks.Sources;

namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>What a library has that reuses its awaitables, such as a socket: it resumes who awaits by the context that it has captured.</summary>
internal sealed class ValueSource : IValueTaskSource<string>
{
    // Not readonly: it changes in place.
    private ManualResetValueTaskSourceCore<string> _core;

    public ValueSource(bool resumesElsewhere) => _core.RunContinuationsAsynchronously = resumesElsewhere;

    public ValueTask<string> Value => new(this, _core.Version);

    public void Set(string value) => _core.SetResult(value);

    public string GetResult(short token) => _core.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}
