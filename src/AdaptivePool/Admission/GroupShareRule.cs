namespace AdaptivePool.Admission;

/// <summary>
/// What each group of a divided gate may have. Its share is the limit divided by the groups and rounded up, as MySQL's thread pool has it, but the limit itself is never exceeded. With borrowing a share is a
/// guarantee: a free permit goes to whoever waits, to groups below their share first. Without borrowing it is a bound.
/// </summary>
internal sealed class GroupShareRule(int groups, bool borrows)
{
    public int Share(int limit) => limit == 0 ? int.MaxValue : ((limit - 1) / groups) + 1;

    /// <summary>Whether a group may have one more, provided that the gate has a permit.</summary>
    public bool MayEnter(int limit, int held) => borrows || held < Share(limit);

    /// <summary>The group of which one must leave a full queue for a newcomer: the longest, when the newcomer's is below its share of the places and shorter by more than one, so that two groups do not push each other out. -1 for none.</summary>
    /// <param name="places">How many may wait in all.</param>
    /// <param name="waiting">How many wait in each group.</param>
    /// <param name="group">The newcomer's.</param>
    public int GivesPlace(int places, ReadOnlySpan<int> waiting, int group)
    {
        if (places == 0 || waiting[group] >= Share(places))
        {
            return -1;
        }

        int longest = 0;
        for (int other = 1; other < waiting.Length; other++)
        {
            longest = waiting[other] > waiting[longest] ? other : longest;
        }

        return waiting[longest] > waiting[group] + 1 ? longest : -1;
    }

    /// <summary>The group whose turn it is: the one that holds least of those in which somebody waits; the next in turn among equals. -1 when none may have a permit.</summary>
    /// <param name="limit">The limit in force.</param>
    /// <param name="held">Permits held by each group.</param>
    /// <param name="waiting">How many wait in each group.</param>
    /// <param name="first">The group to prefer among equals.</param>
    public int Next(int limit, ReadOnlySpan<int> held, ReadOnlySpan<int> waiting, int first)
    {
        int chosen = -1;
        for (int i = 0; i < held.Length; i++)
        {
            int group = (first + i) % held.Length;
            if (waiting[group] > 0 && MayEnter(limit, held[group]) && (chosen < 0 || held[group] < held[chosen]))
            {
                chosen = group;
            }
        }

        return chosen;
    }
}
