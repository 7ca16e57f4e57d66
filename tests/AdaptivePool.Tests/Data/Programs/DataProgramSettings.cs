namespace AdaptivePool.Tests.Data.Programs;

/// <summary>How programs run on a provider.</summary>
internal sealed class DataProgramSettings
{
    /// <summary>How many connections a program has at once.</summary>
    public int Connections { get; init; } = 2;

    /// <summary>How an exception is noted.</summary>
    public Func<Exception, string> Describe { get; init; } = static exception => exception switch
    {
        OperationCanceledException => nameof(OperationCanceledException),
        ObjectDisposedException => nameof(ObjectDisposedException),
        _ => $"{exception.GetType().Name}: {exception.Message}",
    };

    /// <summary>Whether the provider tells of the states of its connections.</summary>
    public bool HasEvents { get; init; } = true;

    /// <summary>Whether the provider's objects serve others after their end, so that nobody may touch them then.</summary>
    public bool ReusesObjects { get; init; }

    /// <summary>How long a statement runs before it is cancelled. Where that is no time, it is not cancelled by a token: whether it has begun would be chance.
    /// </summary>
    public TimeSpan CancelAfter { get; init; }

    /// <summary>Makes the provider's calls fail whose names begin so, until it is told <see langword="null"/>.</summary>
    public Action<string?> Fail { get; init; } = static _ => { };

    /// <summary>The calls of the provider since it was asked last.</summary>
    public Func<IReadOnlyList<string>> TakeCalls { get; init; } = static () => [];
}
