namespace AdaptivePool.Control;

/// <summary>The sizes at which a <see cref="CurveBelief"/> stores the curve: every small number of threads, then some per doubling. Immutable.</summary>
internal static class CurveGrid
{
    // The grid is fine where the top of a curve usually lies: 7 % between nodes, so that a sharp peak between two of them is missed by 3 % of threads at
    // most.
    private const int FirstRatioNode = 16;
    private const int FineNodesPerDoubling = 10;
    private const int FineDoublings = 4;
    private const int CoarseNodesPerDoubling = 4;
    private const int CoarseDoublings = 7;

    // The highest number of threads that a pool may have.
    private const int Largest = 32_767;
    private static readonly int[] s_sizes = MakeSizes();
    private static readonly double[] s_logs = Array.ConvertAll(s_sizes, static n => Math.Log(n));

    /// <summary>The sizes, in threads, ascending from 1.</summary>
    public static ReadOnlySpan<int> Sizes => s_sizes;

    /// <summary>Their logarithms.</summary>
    public static ReadOnlySpan<double> Logs => s_logs;

    /// <summary>Returns the last node that is not above a size.</summary>
    /// <param name="size">The size, in threads; one or more.</param>
    public static int NodeAtOrBelow(int size)
    {
        int found = Array.BinarySearch(s_sizes, size);
        return found >= 0 ? found : ~found - 1;
    }

    /// <summary>Returns the first node that is not below a size; the number of nodes when there is none.</summary>
    /// <param name="size">The size, in threads; one or more.</param>
    public static int NodeAtOrAbove(int size)
    {
        int found = Array.BinarySearch(s_sizes, size);
        return found >= 0 ? found : ~found;
    }

    private static int[] MakeSizes()
    {
        const int Fine = FineNodesPerDoubling * FineDoublings;
        const int Coarse = CoarseNodesPerDoubling * CoarseDoublings;
        var sizes = new int[FirstRatioNode + Fine + Coarse];
        for (int i = 0; i < sizes.Length; i++)
        {
            int above = i - FirstRatioNode + 1;
            double doublings = above <= Fine ? (double)above / FineNodesPerDoubling : FineDoublings + ((double)(above - Fine) / CoarseNodesPerDoubling);
            sizes[i] = i < FirstRatioNode ? i + 1 : Math.Min(Largest, (int)Math.Round(FirstRatioNode * Math.Pow(2, doublings)));
        }

        return sizes;
    }
}
