using AdaptivePool.Control;

namespace AdaptivePool.Tests.Control;

public sealed class CurveGridTests
{
    // Twice the distance of the nodes that the grid documents, in threads of the lower one: 10 per doubling from 16, 4 per doubling from 256.
    private const double FineRatio = 1.0718;
    private const double CoarseRatio = 1.1893;

    [Fact]
    public void Sizes_All_AscendFromOneToTheLargestPool()
    {
        int[] sizes = CurveGrid.Sizes.ToArray();
        sizes[0].ShouldBe(1);
        sizes[^1].ShouldBe(32_767);
        sizes.Zip(sizes.Skip(1)).ShouldAllBe(p => p.First < p.Second);
    }

    [Fact]
    public void Sizes_Small_AreAllThere() => CurveGrid.Sizes[..16].ToArray().ShouldBe(Enumerable.Range(1, 16));

    [Fact]
    public void Sizes_Neighbours_AreNoFurtherApartThanDocumented()
    {
        int[] sizes = CurveGrid.Sizes.ToArray();
        for (int i = 15; i < sizes.Length - 1; i++)
        {
            // Sizes are whole threads: both ends may be rounded by half of one.
            double ratio = sizes[i] < 256 ? FineRatio : CoarseRatio;
            ((double)sizes[i + 1]).ShouldBeInRange((sizes[i] / 1.0001 * ratio) - 1.1, (sizes[i] * 1.0001 * ratio) + 1.1, $"after {sizes[i]}");
        }
    }

    [Fact]
    public void Logs_Each_IsThatOfItsSize()
    {
        CurveGrid.Logs.Length.ShouldBe(CurveGrid.Sizes.Length);
        for (int i = 0; i < CurveGrid.Sizes.Length; i++)
        {
            CurveGrid.Logs[i].ShouldBe(Math.Log(CurveGrid.Sizes[i]));
        }
    }

    [Fact]
    public void NodeAtOrBelowAndAbove_EverySize_EncloseIt()
    {
        for (int size = 1; size <= 32_767; size++)
        {
            int below = CurveGrid.NodeAtOrBelow(size);
            int above = CurveGrid.NodeAtOrAbove(size);
            (CurveGrid.Sizes[below] <= size && CurveGrid.Sizes[above] >= size && above - below <= 1).ShouldBeTrue($"{size}");
            (above == below).ShouldBe(CurveGrid.Sizes[below] == size, $"{size}");
        }
    }

    [Fact]
    public void NodeAtOrAbove_BeyondTheGrid_IsTheNumberOfNodes()
    {
        CurveGrid.NodeAtOrAbove(32_768).ShouldBe(CurveGrid.Sizes.Length);
        CurveGrid.NodeAtOrBelow(int.MaxValue).ShouldBe(CurveGrid.Sizes.Length - 1);
    }
}
