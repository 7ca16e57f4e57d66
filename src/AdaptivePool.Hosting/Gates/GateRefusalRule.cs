using AdaptivePool.Admission;

namespace AdaptivePool.Hosting.Gates;

/// <summary>
/// What a refusal looks like over HTTP. Too many that wait: 429, the clients send more than fits, and another server in front of the same database would not
/// help. Waited too long: 503, the service is too slow at the moment.
/// </summary>
internal static class GateRefusalRule
{
    private const int TooManyRequests = 429;
    private const int ServiceUnavailable = 503;

    public static int Status(RefusalReason reason) => reason is RefusalReason.QueueFull or RefusalReason.GateFull ? TooManyRequests : ServiceUnavailable;
}
