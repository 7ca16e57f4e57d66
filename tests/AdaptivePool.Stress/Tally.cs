using System.Globalization;

namespace AdaptivePool.Stress;

/// <summary>The account: everything submitted completes, is cancelled or is rejected, once.</summary>
internal sealed class Tally
{
    private readonly StripedCounter _submitted = new();
    private readonly StripedCounter _completed = new();
    private readonly StripedCounter _cancelled = new();
    private readonly StripedCounter _rejected = new();
    private readonly StripedCounter _violations = new();
    private readonly StripedCounter _rescues = new();
    private string? _firstViolation;

    public long Submitted => _submitted.Value;

    /// <summary>Items whose fate is known.</summary>
    public long Ended => _completed.Value + _cancelled.Value + _rejected.Value;

    public long Violations => _violations.Value;

    /// <summary>Items that only a later look of the sizing thread saved; see <see cref="RescueWatch"/>.</summary>
    public long Rescues => _rescues.Value;

    public bool IsRight => Submitted == Ended && Violations == 0 && Rescues == 0;

    public void Submit(long count = 1) => _submitted.Add(count);

    public void Complete(long count = 1) => _completed.Add(count);

    /// <summary>For delegates.</summary>
    public void CompleteOne() => _completed.Add();

    public void Cancel() => _cancelled.Add();

    public void Reject() => _rejected.Add();

    public void Rescue(long count) => _rescues.Add(count);

    /// <summary>Notes something that must not be.</summary>
    public void Violate(string what)
    {
        Interlocked.CompareExchange(ref _firstViolation, what, null);
        _violations.Add();
    }

    /// <summary>The last line of a run.</summary>
    public override string ToString()
    {
        string sign = Submitted == Ended ? "=" : "!=";
        string violations = Violations == 0 ? string.Empty : $", {Violations} violations ({_firstViolation})";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"submitted {Submitted} {sign} completed {_completed.Value} + cancelled {_cancelled.Value} + rejected {_rejected.Value}, rescues = "
                + $"{Rescues}{violations}");
    }
}
