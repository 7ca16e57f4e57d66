namespace AdaptivePool.Guests;

/// <summary>What a look at all classes of a pool has found: whether requests that wait briefly would hold up others where the server put them.</summary>
/// <param name="Idle">Idle part of the machine since the last look; NaN when not known, as after a pause.</param>
/// <param name="Others">Part of the pool's requests that is not brief; NaN when they are too few to tell.</param>
/// <param name="AtOnce">Brief requests that ran or waited at once, for each core, on average; NaN when not known.</param>
internal readonly record struct BriefLook(double Idle, double Others, double AtOnce);
