using AdaptivePool.Balancing;

namespace AdaptivePool.Yarp;

/// <summary>What a balancer knows of a destination.</summary>
internal sealed class KnownDestination(BackendState state)
{
    private readonly Lock _lock = new();
    private TimeSpan? _downUntil;

    public BackendState State { get; } = state;

    /// <summary>Until when it is left alone; null while it can be connected to.</summary>
    public TimeSpan? DownUntil
    {
        get
        {
            lock (_lock)
            {
                return _downUntil;
            }
        }

        set
        {
            lock (_lock)
            {
                _downUntil = value;
            }
        }
    }

    public bool IsDown(TimeSpan now) => DownUntil is { } until && now < until;
}
