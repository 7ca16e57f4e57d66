namespace AdaptivePool.SeedWave;

/// <summary>
/// The sizes between which the best one must lie. A rising trend says that it is not below, a falling trend that it is not above. The bounds of the pool are
/// used while a bound is not known yet. The search ends when the two bounds are close enough (docs/control-seed.md, <c>hcm_eps</c>).
/// </summary>
internal sealed class SizeBracket
{
    private int _lower;
    private int _upper = int.MaxValue;

    /// <summary>Called when throughput rises at this size.</summary>
    /// <param name="size">The size, in threads.</param>
    public void Rise(int size)
    {
        _lower = size;
        _upper = Math.Max(_upper, size);
    }

    /// <summary>Called when throughput falls at this size, or a larger size brings no more.</summary>
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

    /// <summary>Returns true when the bounds are so close that the size between them is good enough.</summary>
    /// <param name="eps">Accuracy wanted, in threads.</param>
    /// <param name="min">Lowest size of the pool.</param>
    /// <param name="max">Highest size of the pool.</param>
    public bool IsNarrow(int eps, int min, int max) => Upper(max) - Lower(min) < eps;

    /// <summary>Returns the end of a jump that must not pass a known bound.</summary>
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
            // Rounded away from the start of the jump: between two neighbours the jump must not stand still.
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

    /// <summary>Forgets both bounds.</summary>
    public void Clear() => (_lower, _upper) = (0, int.MaxValue);
}
