namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>An endpoint of a scene.</summary>
/// <param name="Index">Its number.</param>
/// <param name="How">How it is mapped.</param>
/// <param name="Steps">What its handler does.</param>
/// <param name="Place">What it says about the pool; the empty string for nothing.</param>
/// <param name="Policy">What it says to middleware of the framework; the empty string for nothing.</param>
internal sealed record SceneEndpoint(int Index, SceneEndpoint.Kind How, IReadOnlyList<Step> Steps, string Place, string Policy)
{
    public enum Kind
    {
        Minimal,
        Filtered,
        Delegate,
        Action,

        /// <summary>Middleware that answers by itself: the request has no endpoint.</summary>
        Terminal,
    }

    public string Path => How == Kind.Action ? $"/action/{Index}" : $"/{Index}";

    public override string ToString() => $"{Path} {How} {Place} {Policy}: {string.Join("; ", Steps.Select(static it => it.Name))}";
}
