namespace AdaptivePool.Admission;

/// <summary>
/// Divides a limit among the gates before one database: max-min fair. No gate gets more than it wants while other gates want more. Gates that want more get
/// the same. What no gate wants is divided equally, so that a burst finds room. Each gate calculates the same division.
/// </summary>
internal static class FleetShareRule
{
    /// <summary>The shares.</summary>
    /// <param name="total">The limit of all gates together.</param>
    /// <param name="wanted">What each gate wants, in an order that is the same for all gates.</param>
    /// <param name="lowest">The least that each gate gets, 1 or more, even if that is more than the total.</param>
    /// <param name="turn">Selects the gate that comes first when what cannot be divided is given away. The next turn selects the next gate.</param>
    public static int[] Divide(int total, IReadOnlyList<int> wanted, int lowest, int turn)
    {
        int count = wanted.Count;
        int[] shares = new int[count];
        Array.Fill(shares, lowest);
        int left = total - (count * lowest);
        List<int> hungry = [.. Enumerable.Range(0, count).Where(i => wanted[i] > lowest)];
        while (left >= hungry.Count && hungry.Count > 0)
        {
            // Equal steps. No step goes past what the least hungry gate wants.
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
