using AdaptivePool.Balancing;

namespace AdaptivePool.Yarp;

/// <summary>Settings of the collaborative load balancing policies of a proxy.</summary>
public sealed class CollaborativeProxyOptions
{
    /// <summary>The name by which this proxy is known to backends; they tell their load to known ones only. Default "proxy"; ASCII letters and
    /// digits. Each proxy needs another one: of several with one name each is told all that a backend can bear.</summary>
    public string BalancerName { get; set; } = "proxy";

    /// <summary>Settings of the policy "Collaborative". Not null.</summary>
    public CollaborativeBalancerOptions Collaborative { get; set; } = new();

    /// <summary>Readings of the founding document for the policy "CollaborativeRoundRobin". Not null.</summary>
    public CollaborativeRoundRobinOptions RoundRobin { get; set; } = new();

    /// <summary>
    /// How long a request may wait while all backends are at their limit, before it is answered with 503 and Retry-After. Default 1 s; zero to
    /// a day. Only where the proxy's pipeline has <c>UseAdaptivePoolLoadBalancing()</c>; elsewhere it is answered at once.
    /// </summary>
    public TimeSpan MostWait { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>With so many waiting already a request does not wait. Default 1,000; zero or more.</summary>
    public int MostWaiting { get; set; } = 1000;

    internal IEnumerable<string> Failures()
    {
        if (string.IsNullOrEmpty(BalancerName) || !BalancerName.All(char.IsAsciiLetterOrDigit))
        {
            yield return $"Collaborative load balancing: BalancerName is '{BalancerName}'; allowed: ASCII letters and digits.";
        }

        if (MostWait < TimeSpan.Zero || MostWait > TimeSpan.FromDays(1))
        {
            yield return $"Collaborative load balancing: MostWait is '{MostWait}'; allowed: zero to a day.";
        }

        if (MostWaiting < 0)
        {
            yield return $"Collaborative load balancing: MostWaiting is '{MostWaiting}'; allowed: zero or more.";
        }

        if (Failure(nameof(Collaborative), Collaborative is null ? null : Collaborative.Validate) is { } wrong)
        {
            yield return $"Collaborative load balancing: {wrong}";
        }

        if (Failure(nameof(RoundRobin), RoundRobin is null ? null : RoundRobin.Validate) is { } literal)
        {
            yield return $"Collaborative load balancing: {literal}";
        }
    }

    private static string? Failure(string option, Action? check)
    {
        try
        {
            check?.Invoke();
            return check is null ? $"{option} is null; allowed: settings of the policy." : null;
        }
        catch (ArgumentException exception)
        {
            return $"{option}: {exception.Message}";
        }
    }
}
