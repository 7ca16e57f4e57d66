namespace AdaptivePool.Admission;

/// <summary>
/// Looks at the other gates before the database, and lets the policy decide by what they show. A look waits for the database, on the thread of the adaptive
/// limit. A look that fails is tried again at once, because perhaps only its session has ended, and the other gates miss this gate. If that fails, too, a
/// look is tried once a second.
/// </summary>
/// <param name="policy">The policy that decides.</param>
/// <param name="member">The place of this gate among the others.</param>
internal sealed class FleetSight(FleetLimitPolicy policy, IGateFleetMember member) : ILimitPolicy, IDisposable
{
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);
    private TimeSpan _retryAt;
    private string? _failure;

    public int Limit => policy.Limit;

    public int Verified => policy.Verified;

    public double PerSecond => policy.PerSecond;

    /// <summary>The other gates must see that this gate is there.</summary>
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

                // Inside the try block, too: a list may throw while it is read, and what other gates show may be anything.
                LimitDecision decision = policy.Observe(now, lines);
                _failure = null;
                return decision;
            }
            catch (Exception exception)
            {
                // Whatever the exception is, the gate continues without the other gates.
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
            // The database may be gone. A line that stays there no longer changes, and the other gates ignore it after a while.
        }
    }
}
