using System.Text.Json;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>One line from a child to its parent.</summary>
public sealed record ChildMessage
{
    private const string Prefix = "@@";

    /// <summary>A measured value.</summary>
    public MeasuredValue? Value { get; init; }

    /// <summary>The address at which the child listens.</summary>
    public string? ReadyUrl { get; init; }

    /// <summary>The message as a line.</summary>
    public string ToLine() => Prefix + JsonSerializer.Serialize(this);

    /// <summary>Reads a line. Returns null if the line is ordinary output.</summary>
    public static ChildMessage? Parse(string line) =>
        line.StartsWith(Prefix, StringComparison.Ordinal) ? JsonSerializer.Deserialize<ChildMessage>(line.AsSpan(Prefix.Length)) : null;
}
