namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A schedule that ends badly, made as short as could be.</summary>
internal sealed record Failure(string Message, string Schedule, IReadOnlyList<string> Trace)
{
    public override string ToString() => $"{Message}\nschedule \"{Schedule}\"\n{string.Join('\n', Trace)}";
}
