namespace AdaptivePool.Sizing;

/// <summary>How a size is to be measured.</summary>
/// <param name="Size">The size, in threads.</param>
/// <param name="Window">First window of a generation.</param>
/// <param name="Tolerance">Two generations agree within this ratio less one.</param>
/// <param name="ReferenceService">Mean service time at the size before; NaN when not known. A service time that matches settles at once (rule 10b).</param>
/// <param name="TrustService">A matching service time also settles a rate that was counted, not only an exact one.</param>
/// <param name="TrustFirst">One exact generation settles without a reference: the workers were seen to sleep, so it is no connecting.</param>
internal sealed record GenerationPlan(int Size, TimeSpan Window, double Tolerance, double ReferenceService, bool TrustService, bool TrustFirst);
