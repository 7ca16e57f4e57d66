namespace AdaptivePool.Housekeeping;

/// <summary>
/// When work that waits beside an idle worker needs help, and whether its wake was lost (rule R2) or is only late. On a loaded machine a thread that is on the
/// way may get no processor for seconds, so time shows nothing: a wake is lost when no thread is on the way.
/// </summary>
internal sealed class RescueRule
{
    /// <summary>Time in which no item starts or ends, after which work is helped, even if a thread is on the way.</summary>
    public const double HelpSeconds = 0.25;

    /// <summary>Looks in that time.</summary>
    public const int LooksPerHelp = 4;

    /// <summary>A worker that was woken and has not come after this time never will. No thread waits so long for a processor.</summary>
    public const double MissingSeconds = 60;

    private double _since = double.NaN;
    private long _heartbeats;
    private long _wakes;
    private bool _wasAlone;

    /// <summary>Looks once.</summary>
    /// <param name="now">Time in seconds, without the time in which the process stood still.</param>
    /// <param name="look">What is seen.</param>
    public AuditFinding Observe(double now, in AuditLook look)
    {
        // One look reads one thing after the other: a thread on the way may pass the task on just behind the look. Two looks that see no thread, with no
        // worker woken in between, leave no such way.
        bool isAlone = !look.IsOnTheWay;
        bool isLost = isAlone && _wasAlone && look.Wakes == _wakes;
        _wasAlone = isAlone;
        _wakes = look.Wakes;
        if (!look.IsHeldUp || look.Heartbeats != _heartbeats || double.IsNaN(_since))
        {
            _heartbeats = look.Heartbeats;
            _since = look.IsHeldUp ? now : double.NaN;
            _wasAlone &= look.IsHeldUp;
            return AuditFinding.None;
        }

        double waited = now - _since;
        bool mayTellMore = isAlone && !isLost && waited <= 2 * HelpSeconds;
        if (waited <= HelpSeconds || mayTellMore)
        {
            return AuditFinding.None;
        }

        _since = double.NaN;
        return isLost ? AuditFinding.Lost : AuditFinding.Late;
    }
}
