namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>When did an endpoint reach its full speed?</summary>
internal static class FullSpeedRule
{
    private const double Share = 0.9;
    private const int WindowsPerCell = 5;
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// The start of the first sliding window, a fifth of the cell long, in which the first cell reached 90 % of the full rate; null when it never did.
    /// The full rate is the best mean that any cell kept from some moment to its end, over half of the cell at least, and never less than its mean with the
    /// late answers.
    /// </summary>
    public static TimeSpan? Find(IReadOnlyList<CellResult> cells)
    {
        double full = cells.Max(FullRate);
        CellResult first = cells[0];
        TimeSpan window = first.Duration / WindowsPerCell;
        TimeSpan[] times = Sort(first);
        for (TimeSpan start = TimeSpan.Zero; start + window <= first.Duration; start += s_step)
        {
            if (full > 0 && Count(times, start, start + window) >= Share * full * window.TotalSeconds)
            {
                return start;
            }
        }

        return null;
    }

    private static double FullRate(CellResult cell)
    {
        TimeSpan[] times = Sort(cell);
        double best = times.Length / cell.End.TotalSeconds;
        for (TimeSpan start = TimeSpan.Zero; start <= cell.Duration / 2; start += s_step)
        {
            best = Math.Max(best, Count(times, start, cell.Duration) / (cell.Duration - start).TotalSeconds);
        }

        return best;
    }

    private static TimeSpan[] Sort(CellResult cell) => [.. cell.Answers.Select(a => a.At).Order()];

    private static int Count(TimeSpan[] sorted, TimeSpan from, TimeSpan to) => FirstAtOrAfter(sorted, to) - FirstAtOrAfter(sorted, from);

    private static int FirstAtOrAfter(TimeSpan[] sorted, TimeSpan time)
    {
        int low = 0;
        int high = sorted.Length;
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (sorted[middle] < time)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low;
    }
}
