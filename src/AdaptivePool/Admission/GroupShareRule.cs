namespace AdaptivePool.Admission;

/// <summary>
/// What each group of a divided gate may have. Its share is the limit times its weight over all weights and rounded up (with equal weights the limit divided
/// by the groups, as MySQL's thread pool has it), but the limit itself is never exceeded. With borrowing, a share is a guarantee: a free permit goes to any
/// group in which a caller waits, and to groups below their share first. Without borrowing, it is a bound.
/// </summary>
/// <param name="weights">Weight of each group; 1 or more.</param>
/// <param name="borrows">Whether a group may have what others leave free.</param>
internal sealed class GroupShareRule(int[] weights, bool borrows)
{
    private readonly long _total = weights.Sum(static weight => (long)weight);

    public int Share(int limit, int group) => limit == 0 ? int.MaxValue : (int)(((((long)limit * weights[group]) - 1) / _total) + 1);

    /// <summary>Whether a group may have one more permit, if the gate has one.</summary>
    public bool MayEnter(int limit, int held, int group) => borrows || held < Share(limit, group);

    /// <summary>
    /// The group whose waiter must leave a full queue for a newcomer: the longest group for its weight, if the newcomer's group is below its share of the
    /// places and stays shorter with the newcomer. So two groups do not push each other out. -1 for none.
    /// </summary>
    /// <param name="places">How many may wait in all.</param>
    /// <param name="waiting">How many wait in each group.</param>
    /// <param name="group">The newcomer's group.</param>
    public int GivesPlace(int places, ReadOnlySpan<int> waiting, int group)
    {
        if (places == 0 || waiting[group] >= Share(places, group))
        {
            return -1;
        }

        int longest = 0;
        for (int other = 1; other < waiting.Length; other++)
        {
            longest = HasLess(waiting[longest], longest, waiting[other], other) ? other : longest;
        }

        return HasLess(waiting[group] + 1, group, waiting[longest], longest) ? longest : -1;
    }

    /// <summary>
    /// The group that is next: of the groups in which a caller waits, the one that holds the fewest permits for its weight, and among equals the next in
    /// turn. -1 when no group may have a permit.
    /// </summary>
    /// <param name="limit">The limit in force.</param>
    /// <param name="held">Permits held by each group.</param>
    /// <param name="waiting">How many wait in each group.</param>
    /// <param name="first">The group to prefer among equals.</param>
    public int Next(int limit, ReadOnlySpan<int> held, ReadOnlySpan<int> waiting, int first)
    {
        int chosen = -1;
        for (int i = 0; i < held.Length; i++)
        {
            int group = first + i < held.Length ? first + i : first + i - held.Length;
            if (waiting[group] > 0 && MayEnter(limit, held[group], group) && (chosen < 0 || HasLess(held[group], group, held[chosen], chosen)))
            {
                chosen = group;
            }
        }

        return chosen;
    }

    /// <summary>Whether a number is less for the weight of its group than another; a product instead of a quotient, which would have to be rounded.</summary>
    private bool HasLess(int count, int group, int otherCount, int other) => (long)count * weights[other] < (long)otherCount * weights[group];
}
