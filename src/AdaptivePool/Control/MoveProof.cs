namespace AdaptivePool.Control;

/// <summary>The proof that a move needs, in standard deviations of its believed utility.</summary>
/// <param name="Up">For a move to more threads.</param>
/// <param name="Down">For a move to fewer threads.</param>
internal readonly record struct MoveProof(double Up, double Down);
