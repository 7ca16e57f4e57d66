namespace AdaptivePool.SeedWave;

/// <summary>
/// The sizes between which the best one must lie: a rising trend says that it is not below, a falling one that it is not above. The bounds of the pool stand in
/// for what is not known yet. The search ends when the two are close enough (docs/control-seed.md, <c>hcm_eps</c>).
/// </summary>
internal sealed class SizeBracket
{
    private int _lower;
    private int _upper = int.MaxValue;

    /// <summary>Throughput rises at this size.</summary>
    /// <param name="size">The size, in threads.</param>
    public void Rise(int size)
    {
        _lower = size;
        _upper = Math.Max(_upper, size);
    }

    /// <summary>Throughput falls at this size, or a larger one brings no more.</summary>
    /// <param name="size">The size, in threads.</param>
    public void Fall(int size)
    {
        _upper = size;
        _lower = Math.Min(_lower, size);
    }

    /// <summary>The lower bound, in threads.</summary>
    /// <param name="min">Lowest size of the pool.</param>
    public int Lower(int min) => Math.Max(_lower, min);

    /// <summary>The upper bound, in threads.</summary>
    /// <param name="max">Highest size of the pool.</param>
    public int Upper(int max) => Math.Min(_upper, max);

    /// <summary>True when the bounds are so close that the size between them is good enough.</summary>
    /// <param name="eps">Accuracy wanted, in threads.</param>
    /// <param name="min">Lowest size of the pool.</param>
    /// <param name="max">Highest size of the pool.</param>
    public bool IsNarrow(int eps, int min, int max) => Upper(max) - Lower(min) < eps;

    /// <summary>Where a jump ends that must not pass a bound already known.</summary>
    /// <param name="from">Size before, in threads.</param>
    /// <param name="to">Size wanted, in threads; may be outside the bounds of the pool.</param>
    /// <param name="min">Lowest size of the pool.</param>
    /// <param name="max">Highest size of the pool.</param>
    /// <param name="forgetsPassedBound">Whether a jump that reaches a bound is made in full; otherwise it ends in the middle.</param>
    public int Place(int from, double to, int min, int max, bool forgetsPassedBound)
    {
        int lower = Lower(min);
        int upper = Upper(max);
        if (to > lower && to < upper)
        {
            return (int)Math.Round(to);
        }

        bool isUp = to > from;
        if (!forgetsPassedBound)
        {
            // Rounded away from where the jump began: between two neighbours it must not stand still.
            int half = (upper - lower) / 2;
            return isUp ? upper - half : lower + half;
        }

        if (isUp)
        {
            _upper = int.MaxValue;
        }
        else
        {
            _lower = 0;
        }

        return (int)Math.Clamp(Math.Round(to), min, max);
    }

    /// <summary>Forgets what is known.</summary>
    public void Clear() => (_lower, _upper) = (0, int.MaxValue);
}
