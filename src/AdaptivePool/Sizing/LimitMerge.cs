namespace AdaptivePool.Sizing;

/// <summary>
/// Merges the wishes of the classes within the pool. Hogs share what the pool may give to hogs, and classes that have work share the pool's maximum. Each
/// class has a limit of at least one. Where a sum is too large the classes under an equal share keep what they want and the others share the rest (max-min
/// fairness), so that a big class cannot squeeze a small one. A class without work takes no part: it keeps the limit that it found, and holds no thread of
/// the maximum for it. A class of a fixed size keeps that size, and the others share what it leaves.
/// </summary>
internal sealed class LimitMerge
{
    // Kept between ticks, so that a merge allocates no memory at a tick.
    private int[] _ceilings = [];
    private int[] _rooms = [];
    private bool[] _members = [];

    /// <summary>Writes the limits to put in force.</summary>
    /// <param name="claims">What each class wants.</param>
    /// <param name="hogThreads">Threads that classes which burn CPU may have together.</param>
    /// <param name="maxThreads">The pool's maximum.</param>
    /// <param name="limits">Receives the limits.</param>
    /// <returns>Whether more classes share than there are threads for them. Each then has a limit of one, and they take turns.</returns>
    public bool Merge(ReadOnlySpan<ClassClaim> claims, int hogThreads, int maxThreads, Span<int> limits)
    {
        int count = claims.Length;
        if (_ceilings.Length < count)
        {
            _ceilings = new int[count];
            _rooms = new int[count];
            _members = new bool[count];
        }

        Span<int> shares = limits[..count];
        Span<int> ceilings = _ceilings.AsSpan(0, count);
        Span<bool> members = _members.AsSpan(0, count);
        int busy = 0;
        int sharing = 0;
        long left = maxThreads;
        for (int i = 0; i < count; i++)
        {
            ClassClaim claim = claims[i];

            // A class without work burns nothing. It keeps its mark for later, and takes no part of the budget.
            members[i] = claim.IsHog && claim.Demand > 0;
            busy += claim.Demand > 0 ? 1 : 0;
            left -= claim.IsFixed ? claim.Used : 0;
            ceilings[i] = Math.Max(1, claim.Wanted);
            shares[i] = members[i] ? Math.Clamp(claim.Demand, 1, ceilings[i]) : 0;
        }

        Share(shares, ceilings, hogThreads, members);
        for (int i = 0; i < count; i++)
        {
            ceilings[i] = members[i] ? shares[i] : ceilings[i];
            members[i] = claims[i] is { Demand: > 0, IsFixed: false };
            shares[i] = members[i] ? Math.Clamp(claims[i].Demand, 1, ceilings[i]) : ceilings[i];
            sharing += members[i] ? 1 : 0;
        }

        Share(shares, ceilings, left, members);
        return sharing > 0 ? sharing > left : busy > maxThreads;
    }

    // First the claims are cut to the budget. Then the rest of the budget is handed out up to the ceilings.
    private void Share(Span<int> claims, ReadOnlySpan<int> ceilings, long left, ReadOnlySpan<bool> members)
    {
        Span<int> rooms = _rooms.AsSpan(0, claims.Length);
        for (int i = 0; i < claims.Length; i++)
        {
            bool member = members[i];
            // Each class gets one thread, even when the budget is smaller than the number of classes.
            rooms[i] = member ? claims[i] - 1 : 0;
            left -= member ? 1 : 0;
            claims[i] = member ? 1 : claims[i];
        }

        left = Fill(claims, rooms, Math.Max(0, left));
        for (int i = 0; i < claims.Length; i++)
        {
            rooms[i] = members[i] ? ceilings[i] - claims[i] : 0;
        }

        Fill(claims, rooms, left);
    }

    // A rest that cannot be divided stays with the first classes: a class whose limit changes in turn could not be measured. Weights are for equal shares.
    private static long Fill(Span<int> levels, Span<int> rooms, long left)
    {
        while (left > 0)
        {
            int open = 0;
            foreach (int room in rooms)
            {
                open += room > 0 ? 1 : 0;
            }

            if (open == 0)
            {
                break;
            }

            long each = Math.Max(1, left / open);
            for (int i = 0; i < levels.Length && left > 0; i++)
            {
                int given = (int)Math.Min(Math.Min(each, rooms[i]), left);
                levels[i] += given;
                rooms[i] -= given;
                left -= given;
            }
        }

        return left;
    }
}
