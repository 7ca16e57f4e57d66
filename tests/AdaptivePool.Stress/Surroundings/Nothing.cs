namespace AdaptivePool.Stress.Surroundings;

/// <summary>No disturbance.</summary>
internal sealed class Nothing : IDisposable
{
    public static Nothing Instance { get; } = new();

    public void Dispose()
    {
        // Nothing was started.
    }
}
