using AdaptivePool.Control;

namespace AdaptivePool.Diagnostics;

/// <summary>Passes everything on to another controller and tells a sink what it was asked and what it answered. Decides nothing itself.</summary>
internal sealed class LoggingController : IPoolController, IWholeController
{
    private readonly IPoolController _inner;
    private readonly string _className;
    private readonly IDecisionSink _sink;
    private readonly Func<TimeSpan>? _now;
    private TimeSpan _elapsed;

    /// <summary>Wraps a controller that has not been used yet.</summary>
    /// <param name="inner">The controller that decides.</param>
    /// <param name="className">Name of its work class in the log.</param>
    /// <param name="sink">Where the steps go.</param>
    /// <param name="now">Time since the start; <see langword="null"/> for the sum of the samples' lengths, which is what virtual time has.</param>
    public LoggingController(IPoolController inner, string className, IDecisionSink sink, Func<TimeSpan>? now = null)
    {
        _inner = inner;
        _className = className;
        _sink = sink;
        _now = now;
        _sink.Write(new() { Kind = DecisionLogKind.Start, At = Now, ClassName = className });
    }

    private TimeSpan Now => _now?.Invoke() ?? _elapsed;

    bool IWholeController.DecidesWhole => IWholeController.Is(_inner);

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        SizeDecision decision = _inner.Update(sample);
        _elapsed += sample.Elapsed > TimeSpan.Zero ? sample.Elapsed : TimeSpan.Zero;
        _sink.Write(DecisionLogEntry.OfStep(Now, _className, sample, decision));
        return decision;
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason)
    {
        _inner.Reinitialize(target, reason);
        _sink.Write(new() { Kind = DecisionLogKind.Reinitialize, At = Now, ClassName = _className, Target = target, Reason = reason });
    }
}
