namespace AdaptivePool.Balancing.Clients;

/// <summary>A backend of a client.</summary>
internal sealed class ClientBackend(Uri address, BackendState state)
{
    private readonly Lock _lock = new();
    private TimeSpan? _downUntil;

    public Uri Address { get; } = address;

    public BackendState State { get; } = state;

    /// <summary>Until when it is left alone; <see langword="null"/> while it answers.</summary>
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
}
