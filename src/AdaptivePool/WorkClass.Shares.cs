using AdaptivePool.Dispatch;

namespace AdaptivePool;

/// <remarks>How much of the CPU the class gets while there is not enough for all.</remarks>
public sealed partial class WorkClass
{
    private const int MostWeight = 1_000;

    private readonly Lock _weighing = new();

    /// <summary>
    /// Part of the CPU that the class gets beside other classes with a weight while all of them have more work than there is CPU: weights of 3 and 1 give 75
    /// and 25 %. 1 to 1,000. Default <see langword="null"/>: none, and the class takes no part. A higher value takes more from the others. May be changed at
    /// any time; holds for what is used from then on.
    /// </summary>
    /// <remarks>
    /// What counts is the CPU time of the threads that run items of the class, what follows their awaits included. Items are not interrupted: the next to start
    /// is of the class that is owed most, so that over any time shares are off by about one item for each core. All classes with a weight together run about
    /// one root item for each core at once; one that waits makes room for another. A class that had nothing to do does not get what it left unused.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    public int? Weight
    {
        get => Core.Share is { Weight: var weight } ? weight : null;
        set
        {
            if (value is < 1 or > MostWeight)
            {
                throw new ArgumentOutOfRangeException(nameof(value), value, $"{nameof(Weight)} of class '{Name}' is {value}; allowed: 1 to {MostWeight}.");
            }

            lock (_weighing)
            {
                Pool.Set.SetWeight(Core, value ?? 0, Pool.Sizing.SharedSlots);
            }
        }
    }
}
