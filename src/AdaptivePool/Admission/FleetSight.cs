namespace AdaptivePool.Admission;

/// <summary>
/// Looks at the others before the database, and lets the policy decide by what they show. A look waits for the database, on the thread of the adaptive limit;
/// one that fails is tried again at once, because its session alone may have ended and the others miss it, and then once a second.
/// </summary>
/// <param name="policy">What decides.</param>
/// <param name="member">The place among the others.</param>
internal sealed class FleetSight(FleetLimitPolicy policy, IGateFleetMember member) : ILimitPolicy, IDisposable
{
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);
    private TimeSpan _retryAt;
    private string? _failure;

    public int Limit => policy.Limit;

    public int Verified => policy.Verified;

    public double PerSecond => policy.PerSecond;

    /// <summary>The others must see that it is there.</summary>
    public bool MustLook => true;

    public GateFleetSnapshot? Fleet => policy.Fleet;

    public LimitDecision Observe(in LimitObservation now)
    {
        string line = policy.Report(now);
        if (now.Now >= _retryAt)
        {
            try
            {
                IReadOnlyList<string> lines =
                    member.Exchange(line) ?? throw new InvalidOperationException($"{member}.{nameof(member.Exchange)} returned null.");

                // Inside, too: a list may throw while it is read, and what others show may be anything.
                LimitDecision decision = policy.Observe(now, lines);
                _failure = null;
                return decision;
            }
            catch (Exception exception)
            {
                // Whatever it is, the gate goes on without the others.
                _retryAt = _failure is null ? now.Now : now.Now + s_retry;
                _failure = exception.Message;
            }
        }

        return policy.Wait(now, _failure ?? "");
    }

    public void Dispose()
    {
        try
        {
            member.Dispose();
        }
        catch (Exception)
        {
            // The database may be gone. The line that stays there stands still, and is nobody's after a while.
        }
    }
}
