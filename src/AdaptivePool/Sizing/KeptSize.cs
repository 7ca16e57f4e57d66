namespace AdaptivePool.Sizing;

/// <summary>
/// The size that a class stands by, and what it brought: the one holder of that fact. Whoever tries another size, lends threads or bounds what is in force
/// leaves it alone; it changes by a measurement, or when it is set from outside.
/// </summary>
/// <param name="start">The size to start from, in threads.</param>
/// <param name="verifier">Who knows whether it is verified: the search of the class, if it has one.</param>
internal sealed class KeptSize(int start, ISizeVerifier? verifier = null)
{
    // How much a further measurement of the same size counts: it follows drift, not noise.
    private const double Follow = 0.2;

    private Known _known = new(start, double.NaN, double.NaN, IsMeasured: false, IsProven: false, IsCrowded: false);

    /// <summary>The size, in threads.</summary>
    public int Size => _known.Size;

    /// <summary>What it brings, in completions per second; NaN when not measured since it was set.</summary>
    public double Rate => _known.Rate;

    /// <summary>Mean service time at that size, in seconds; NaN when not known.</summary>
    public double Service => _known.Service;

    /// <summary>It was measured while others filled the server that the class waits for.</summary>
    public bool IsCrowded => _known.IsCrowded;

    /// <summary>It was measured for itself, and not only while threads left it.</summary>
    public bool IsMeasured => _known.IsMeasured;

    /// <summary>Some size of this class has been measured.</summary>
    public bool IsProven => _known.IsProven;

    /// <summary>What looks for a better size knows of none that promises noticeably more: what is tried from now on may cost only little.</summary>
    public bool IsVerified => verifier?.VerifiedSize == Size;

    /// <summary>A size that is to be measured.</summary>
    public void Set(int size)
    {
        verifier?.Doubt();
        _known = new(size, double.NaN, double.NaN, IsMeasured: false, IsProven, IsCrowded: false);
    }

    /// <summary>A size that was measured.</summary>
    public void Prove(int size, double rate, double service = double.NaN, bool isCrowded = false) =>
        _known = new(size, rate, service, IsMeasured: true, IsProven: true, isCrowded);

    /// <summary>The same size was measured again.</summary>
    public void Remeasure(double rate) => _known = _known with { Rate = double.IsNaN(Rate) ? rate : Rate + (Follow * (rate - Rate)) };

    /// <summary>The same size brings another rate, which may pass: its rate goes a share of the way there, in logarithms.</summary>
    public void Approach(double rate, double share) => _known = _known with { Rate = Rate * Math.Pow(rate / Rate, share) };

    private sealed record Known(int Size, double Rate, double Service, bool IsMeasured, bool IsProven, bool IsCrowded);
}
