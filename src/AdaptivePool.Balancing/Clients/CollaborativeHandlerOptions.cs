namespace AdaptivePool.Balancing.Clients;

/// <summary>Settings of a <see cref="CollaborativeHandler"/>.</summary>
public sealed record CollaborativeHandlerOptions
{
    /// <summary>The backends: absolute addresses of http or https without a path. At least one, each once.</summary>
    public required IReadOnlyList<Uri> Backends { get; init; }

    /// <summary>The name of this client for the backends. They report their load only to known names. Default <see langword="null"/>: none.</summary>
    public string? BalancerName { get; init; }

    /// <summary>The balancer that chooses. Default <see langword="null"/>: a <see cref="CollaborativeBalancer"/>.</summary>
    public IBalancer? Balancer { get; init; }

    /// <summary>
    /// The maximum time that a request waits while all backends are at their limit. Default 1 s; zero to a day. After that it gets the status 503 with
    /// Retry-After.
    /// </summary>
    public TimeSpan MostWait { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The maximum number of waiting requests. If that many wait already, a request does not wait. Default 1,000; zero or more.</summary>
    public int MostWaiting { get; init; } = 1000;

    /// <summary>How long a backend that refuses connections gets no requests. Default 1 s; above zero, at most a day.</summary>
    public TimeSpan DownTime { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The clock. Default <see langword="null"/>: the system's clock.</summary>
    public TimeProvider? Clock { get; init; }

    /// <summary>Throws if a value is out of its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A value is out of its range. The message names the option, the value and the range.</exception>
    public void Validate()
    {
        OptionCheck.Require(Backends is { Count: > 0 }, nameof(Backends), "none", "at least one address");
        foreach (Uri backend in Backends!)
        {
            OptionCheck.Require(backend is { IsAbsoluteUri: true, Scheme: "http" or "https", PathAndQuery: "/" }, nameof(Backends), backend,
                "absolute addresses of http or https without a path");
        }

        OptionCheck.Require(Backends.Distinct().Count() == Backends.Count, nameof(Backends), string.Join(' ', Backends), "each address once");
        OptionCheck.Require(BalancerName is null || LoadReport.IsBalancerName(BalancerName), nameof(BalancerName), BalancerName, "ASCII letters and digits");
        OptionCheck.Require(MostWait >= TimeSpan.Zero && MostWait <= BackendPicker.LongestTime, nameof(MostWait), MostWait, "zero to a day");
        OptionCheck.Require(MostWaiting >= 0, nameof(MostWaiting), MostWaiting, "zero or more");
        OptionCheck.Require(DownTime > TimeSpan.Zero && DownTime <= BackendPicker.LongestTime, nameof(DownTime), DownTime, "above zero, at most a day");
    }
}
