namespace AdaptivePool.Admission;

/// <summary>Why a gate refused.</summary>
/// <param name="Reason">The reason.</param>
/// <param name="RetryAfter">When coming again makes sense; <see langword="null"/> when never.</param>
internal readonly record struct GateRefusal(RefusalReason Reason, TimeSpan? RetryAfter);
