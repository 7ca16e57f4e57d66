namespace AdaptivePool.Dispatch;

/// <summary>What <see cref="FairOrder"/> knows of one of those who share.</summary>
internal class FairEntry
{
    /// <summary>Part of the whole, relative to the weights of the others; 1 or more.</summary>
    public int Weight { get; set; } = 1;

    /// <summary>
    /// What was used so far over the weight, in parts of a nanosecond (<see cref="FairOrder.Parts"/>): who has the least is owed most. A sum that is as exact
    /// after years as at the start: of one in a double the turn of a large weight is lost once the sum is 2^53.
    /// </summary>
    public Int128 Virtual { get; set; }

    /// <summary>Whether it is among those that have work. Written by <see cref="FairOrder"/> only.</summary>
    public bool HasWork { get; set; }
}
