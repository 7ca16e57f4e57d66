namespace AdaptivePool.Control;

/// <summary>The state of a search when it asks for the next size to try.</summary>
internal readonly record struct ProbeSituation
{
    /// <summary>The present size, in threads.</summary>
    public required int Base { get; init; }

    /// <summary>Lowest size allowed, in threads.</summary>
    public required int Min { get; init; }

    /// <summary>Highest size allowed, in threads.</summary>
    public required int Max { get; init; }

    /// <summary>Cores the process may use; zero when not known.</summary>
    public double Cores { get; init; }

    /// <summary>Own CPU use over own plus idle CPU at the present size; NaN when not known.</summary>
    public double Utilisation { get; init; }

    /// <summary>The size that the model N / utilisation proposes, in threads; not above <see cref="Base"/> when the model has no proposal.</summary>
    public int ModelSize { get; init; }

    /// <summary>Variance of the reading of one period of the wave.</summary>
    public required double Noise { get; init; }
}
