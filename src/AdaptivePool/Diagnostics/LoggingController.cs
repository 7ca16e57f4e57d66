namespace AdaptivePool.Diagnostics;

/// <summary>Passes every call to another controller, and reports the calls and the decisions. It decides nothing itself.</summary>
internal sealed class LoggingController : IPoolController, IWholeController, ISizeVerifier
{
    private readonly IPoolController _inner;
    private readonly string _className;
    private readonly Action<DecisionLogEntry> _tell;
    private readonly Func<TimeSpan> _now;

    /// <summary>Wraps a controller that has not been used yet.</summary>
    /// <param name="inner">The controller that decides.</param>
    /// <param name="className">Name of its work class in the log.</param>
    /// <param name="tell">Called for each step, on the thread that decides sizes: it must return at once and never throw.</param>
    /// <param name="now">Time since the start.</param>
    public LoggingController(IPoolController inner, string className, Action<DecisionLogEntry> tell, Func<TimeSpan> now)
    {
        (_inner, _className, _tell, _now) = (inner, className, tell, now);
        _tell(new() { Kind = DecisionLogKind.Start, At = _now(), ClassName = className });
    }

    bool IWholeController.DecidesWhole => IWholeController.Is(_inner);

    bool IWholeController.SeesPeaks => IWholeController.LooksAtPeaks(_inner);

    int ISizeVerifier.VerifiedSize => (_inner as ISizeVerifier)?.VerifiedSize ?? 0;

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        SizeDecision decision = _inner.Update(sample);
        _tell(DecisionLogEntry.OfStep(_now(), _className, sample, decision));
        return decision;
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason)
    {
        _inner.Reinitialize(target, reason);
        _tell(new() { Kind = DecisionLogKind.Reinitialize, At = _now(), ClassName = _className, Target = target, Reason = reason });
    }

    void ISizeVerifier.Doubt()
    {
        (_inner as ISizeVerifier)?.Doubt();
        _tell(new() { Kind = DecisionLogKind.Doubt, At = _now(), ClassName = _className });
    }
}
