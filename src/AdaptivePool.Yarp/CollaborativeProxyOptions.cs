using System.Globalization;

namespace AdaptivePool.Yarp;

/// <summary>Settings of the collaborative load balancing policies of a proxy.</summary>
public sealed class CollaborativeProxyOptions
{
    /// <summary>
    /// The name of this proxy for the backends. They report their load only to known names. Default "proxy"; ASCII letters and digits. Each proxy needs a
    /// different name: if several proxies have the same name, each of them gets the whole rate that a backend can bear.
    /// </summary>
    public string BalancerName { get; set; } = "proxy";

    /// <summary>Settings of the policy "Collaborative". Not null.</summary>
    public CollaborativeBalancerOptions Collaborative { get; set; } = new();

    /// <summary>The interpretation of the founding document for the policy "CollaborativeRoundRobin". Not null.</summary>
    public CollaborativeRoundRobinOptions RoundRobin { get; set; } = new();

    /// <summary>
    /// The maximum time that a request waits while all backends are at their limit, before it gets the status 503 with Retry-After. Default 1 s; zero to a day.
    /// This applies only if the proxy's pipeline has <c>UseAdaptivePoolLoadBalancing()</c>; otherwise the request gets the status at once.
    /// </summary>
    public TimeSpan MostWait { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>The maximum number of waiting requests. If that many wait already, a request does not wait. Default 1,000; zero or more.</summary>
    public int MostWaiting { get; set; } = 1000;

    internal IEnumerable<string> Failures()
    {
        string?[] failures =
        [
            LoadReport.IsBalancerName(BalancerName) ? null : $"BalancerName is '{BalancerName}'; allowed: ASCII letters and digits.",
            MostWait >= TimeSpan.Zero && MostWait <= TimeSpan.FromDays(1) ? null : $"MostWait is '{MostWait}'; allowed: zero to a day.",
            MostWaiting >= 0 ? null : string.Create(CultureInfo.InvariantCulture, $"MostWaiting is '{MostWaiting}'; allowed: zero or more."),
            Failure(nameof(Collaborative), Collaborative is null ? null : Collaborative.Validate),
            Failure(nameof(RoundRobin), RoundRobin is null ? null : RoundRobin.Validate),
        ];
        return failures.OfType<string>().Select(static failure => $"Collaborative load balancing: {failure}");
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
            // Without the name and the value that the runtime appends on a line of its own: the message contains both.
            return $"{option}: {exception.Message.Split(" (Parameter '", 2)[0]}";
        }
    }
}
