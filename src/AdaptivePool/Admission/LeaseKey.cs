using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>A transaction inside a gate: a hold, and the turn of it that is meant. Holds are used again; a key of an earlier turn opens nothing.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="Hold">The hold; <see langword="null"/> when the gate did not let the caller in.</param>
/// <param name="Turn">The turn.</param>
internal readonly record struct LeaseKey<TSync>(LeaseHold<TSync>? Hold, long Turn)
    where TSync : struct, ISync;
