namespace AdaptivePool.Sizing;

/// <summary>
/// The size that a class stands by, and its measured rate: the one holder of that fact. A rule that tries another size, lends threads or bounds the limit in
/// force does not change it. It changes by a measurement, or when it is set from outside.
/// </summary>
/// <param name="start">The size to start from, in threads.</param>
/// <param name="verifier">Tells whether the size is verified: the search of the class, if it has one.</param>
internal sealed class KeptSize(int start, ISizeVerifier? verifier = null)
{
    // Weight of a further measurement of the same size: the rate follows drift, not noise.
    private const double Follow = 0.2;

    private Known _known = new(start, double.NaN, double.NaN, IsMeasured: false, IsProven: false, IsCrowded: false);

    /// <summary>The size, in threads.</summary>
    public int Size => _known.Size;

    /// <summary>Completions per second at that size; NaN when not measured since the size was set.</summary>
    public double Rate => _known.Rate;

    /// <summary>Mean service time at that size, in seconds; NaN when not known.</summary>
    public double Service => _known.Service;

    /// <summary>The size was measured while others filled the server that the class waits for.</summary>
    public bool IsCrowded => _known.IsCrowded;

    /// <summary>The size was measured itself, and not only while the class was leaving it for a smaller one.</summary>
    public bool IsMeasured => _known.IsMeasured;

    /// <summary>Some size of this class has been measured.</summary>
    public bool IsProven => _known.IsProven;

    /// <summary>The search for a better size knows of none that promises noticeably more. Further trials may cost only little.</summary>
    public bool IsVerified => verifier?.VerifiedSize == Size;

    /// <summary>Sets a size that is to be measured.</summary>
    public void Set(int size)
    {
        verifier?.Doubt();
        _known = new(size, double.NaN, double.NaN, IsMeasured: false, IsProven, IsCrowded: false);
    }

    /// <summary>Keeps a size that was measured.</summary>
    public void Prove(int size, double rate, double service = double.NaN, bool isCrowded = false) =>
        _known = new(size, rate, service, IsMeasured: true, IsProven: true, isCrowded);

    /// <summary>Takes a further measurement of the same size.</summary>
    public void Remeasure(double rate) => _known = _known with { Rate = double.IsNaN(Rate) ? rate : Rate + (Follow * (rate - Rate)) };

    /// <summary>Moves the kept rate a share of the way to another rate, in logarithms. The same size brings that rate now, but it may be temporary.</summary>
    public void Approach(double rate, double share) => _known = _known with { Rate = Rate * Math.Pow(rate / Rate, share) };

    private sealed record Known(int Size, double Rate, double Service, bool IsMeasured, bool IsProven, bool IsCrowded);
}
