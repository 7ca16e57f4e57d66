namespace AdaptivePool.Admission;

/// <summary>
/// Divides a limit among the gates before one database: max-min fair. Nobody gets more than it wants while others want more, those that want more get the same,
/// and what nobody wants is divided equally, so that a burst finds room. Each gate works the same division out for itself.
/// </summary>
internal static class FleetShareRule
{
    /// <summary>The shares.</summary>
    /// <param name="total">The limit of all together.</param>
    /// <param name="wanted">What each wants, in an order that all agree on.</param>
    /// <param name="lowest">Least that each gets, 1 or more, also where that is more than the total.</param>
    /// <param name="turn">Whose turn it is to get what cannot be divided; the next turn is the next one's.</param>
    public static int[] Divide(int total, IReadOnlyList<int> wanted, int lowest, int turn)
    {
        int count = wanted.Count;
        int[] shares = new int[count];
        Array.Fill(shares, lowest);
        int left = total - (count * lowest);
        List<int> hungry = [.. Enumerable.Range(0, count).Where(i => wanted[i] > lowest)];
        while (left >= hungry.Count && hungry.Count > 0)
        {
            // Equal steps, none past what the least hungry wants.
            int step = Math.Min(left / hungry.Count, hungry.Min(i => wanted[i] - shares[i]));
            foreach (int i in hungry)
            {
                shares[i] += step;
            }

            left -= step * hungry.Count;
            hungry.RemoveAll(i => shares[i] >= wanted[i]);
        }

        if (hungry.Count == 0 && left > 0)
        {
            hungry = [.. Enumerable.Range(0, count)];
            foreach (int i in hungry)
            {
                shares[i] += left / count;
            }

            left %= count;
        }

        for (int i = 0; i < left; i++)
        {
            shares[hungry[(int)(((uint)turn + (uint)i) % (uint)hungry.Count)]]++;
        }

        return shares;
    }
}
