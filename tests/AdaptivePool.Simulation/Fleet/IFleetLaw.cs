using AdaptivePool.Admission;

namespace AdaptivePool.Simulation.Fleet;

/// <summary>How an instance finds the limit of its gate.</summary>
internal interface IFleetLaw
{
    /// <summary>The limit to begin with; 0 for none.</summary>
    int Start { get; }

    /// <summary>Takes a look.</summary>
    /// <param name="now">What the gate sees.</param>
    /// <param name="exchange">Shows the others a line and tells theirs, its own among them; <see langword="null"/> where nobody is seen.</param>
    /// <returns>The limit, and when to look again.</returns>
    (int Limit, TimeSpan LookAgain) Look(in LimitObservation now, Func<string, IReadOnlyList<string>>? exchange);
}
