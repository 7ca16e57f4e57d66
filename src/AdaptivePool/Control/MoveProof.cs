namespace AdaptivePool.Control;

/// <summary>How well a move must be proven, in standard deviations of what it is believed to be worth.</summary>
/// <param name="Up">To more threads.</param>
/// <param name="Down">To fewer.</param>
internal readonly record struct MoveProof(double Up, double Down);
