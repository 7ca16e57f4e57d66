using AdaptivePool.Control;
using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <remarks>A limit that the gate finds by itself.</remarks>
public sealed partial class TransactionGate
{
    /// <summary>
    /// The limit of an adaptive gate has changed, or with <see cref="TransactionGateOptions.AdaptiveMonitorOnly"/> would have. Raised on a thread of the gate:
    /// a handler must return quickly; what it throws is counted in
    /// <see cref="AdaptiveLimitSnapshot.HandlerFaults"/>. Not raised for a limit that is set through <see cref="PermitLimit"/>.
    /// </summary>
    public event EventHandler<ControllerTrace>? LimitChanged;

    /// <summary>Lets the adaptive limit look, for gates that are not watched.</summary>
    internal TimeSpan? LookAtLimit() => Core.LimitLoop?.Look();

    /// <summary>Raises <see cref="LimitChanged"/>; false when a handler threw.</summary>
    private bool RaiseLimitChanged(ControllerTrace change)
    {
        try
        {
            LimitChanged?.Invoke(this, change);
            return true;
        }
        catch (Exception)
        {
            // A handler's fault must not end the thread that steers.
            return false;
        }
    }
}
