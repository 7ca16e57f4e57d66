namespace AdaptivePool.Diagnostics;

/// <summary>
/// Asks a user's controller until it throws or returns an invalid decision. That is reported once, and from then on the size stays as it is. The thread that
/// asks must not end.
/// </summary>
/// <param name="inner">The controller; <see langword="null"/> keeps the size from the start.</param>
/// <param name="onFault">Called with the exception.</param>
internal sealed class GuardedController(IPoolController? inner, Action<Exception> onFault) : IWholeController, ISizeVerifier
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);
    private IPoolController? _inner = inner;

    /// <summary>Creates a controller with a user's factory.</summary>
    public static IPoolController Create(Func<IPoolController> factory, Action<Exception> onFault)
    {
        try
        {
            using var kept = new KeptThread();
            IPoolController created = factory();
            return created is FixedController ? created : new GuardedController(created, onFault);
        }
        catch (Exception exception)
        {
            onFault(exception);
            return new GuardedController(null, onFault);
        }
    }

    public bool DecidesWhole => IWholeController.Is(_inner);

    public int VerifiedSize => (_inner as ISizeVerifier)?.VerifiedSize ?? 0;

    public SizeDecision Update(in PoolSample sample)
    {
        try
        {
            using var kept = new KeptThread();
            if (_inner?.Update(sample) is { } decision)
            {
                return Failure(decision) is { } failure ? throw new InvalidOperationException($"The controller {_inner} gave a decision {failure}.") : decision;
            }
        }
        catch (Exception exception)
        {
            GiveUp(exception);
        }

        var trace = new ControllerTrace { From = sample.Target, To = sample.Target, Reason = DecisionReason.Hold, State = "Failed" };
        return new(sample.Target, s_interval, DecisionReason.Hold, trace);
    }

    public void Reinitialize(int target, DecisionReason reason)
    {
        try
        {
            using var kept = new KeptThread();
            _inner?.Reinitialize(target, reason);
        }
        catch (Exception exception)
        {
            GiveUp(exception);
        }
    }

    public void Doubt() => (_inner as ISizeVerifier)?.Doubt();

    // Reasons are counted by their number, so an undefined one cannot be counted.
    private static string? Failure(in SizeDecision decision) =>
        decision.Trace is null ? "without a trace"
        : !Enum.IsDefined(decision.Reason) ? FormattableString.Invariant($"with the reason {(int)decision.Reason}, which is not defined")
        : !Enum.IsDefined(decision.Trace.Reason) ? FormattableString.Invariant($"whose trace has the reason {(int)decision.Trace.Reason}, which is not defined")
        : null;

    private void GiveUp(Exception exception)
    {
        _inner = null;
        onFault(exception);
    }
}
