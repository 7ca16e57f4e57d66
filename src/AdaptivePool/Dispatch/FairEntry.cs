namespace AdaptivePool.Dispatch;

/// <summary>The state of one participant in a <see cref="FairOrder"/>.</summary>
internal class FairEntry
{
    /// <summary>Part of the whole, relative to the weights of the others; 1 or more.</summary>
    public int Weight { get; set; } = 1;

    /// <summary>
    /// What was used so far over the weight, in parts of a nanosecond (<see cref="FairOrder.Parts"/>): the entry with the least is owed most. The sum is as
    /// exact after years as at the start. A double would lose the turn of a large weight once the sum is 2^53.
    /// </summary>
    public Int128 Virtual { get; set; }

    /// <summary>Whether the entry is among those that have work. Written by <see cref="FairOrder"/> only.</summary>
    public bool HasWork { get; set; }
}
