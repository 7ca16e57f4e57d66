using AdaptivePool.Control;

namespace AdaptivePool.Admission;

/// <summary>What a window of a gate that is only watched says.</summary>
/// <param name="Limit">The limit that would have been best; 0 while nothing is known.</param>
/// <param name="Reason">Why it changed; <see cref="DecisionReason.Hold"/> when it did not.</param>
/// <param name="PerSecond">Transactions per second that ended well.</param>
/// <param name="WouldWait">Mean number of transactions that this limit would have kept waiting.</param>
internal readonly record struct LimitEstimate(int Limit, DecisionReason Reason, double PerSecond, double WouldWait);
