namespace AdaptivePool.Sizing;

/// <summary>
/// The size that a class stands by, and what it brought: the one holder of that fact. Whoever tries another size, lends threads or bounds what is in force
/// leaves it alone; it changes by a measurement, or when it is set from outside.
/// </summary>
/// <param name="start">The size to start from, in threads.</param>
internal sealed class KeptSize(int start)
{
    // How much a further measurement of the same size counts: it follows drift, not noise.
    private const double Follow = 0.2;

    /// <summary>The size, in threads.</summary>
    public int Size { get; private set; } = start;

    /// <summary>What it brings, in completions per second; NaN when not measured since it was set.</summary>
    public double Rate { get; private set; } = double.NaN;

    /// <summary>Mean service time at that size, in seconds; NaN when not known.</summary>
    public double Service { get; private set; } = double.NaN;

    /// <summary>It was measured for itself, and not only while threads left it.</summary>
    public bool IsMeasured { get; private set; }

    /// <summary>Some size of this class has been measured.</summary>
    public bool IsProven { get; private set; }

    /// <summary>What looks for a better size knows of none that promises noticeably more: what is tried from now on may cost only little.</summary>
    public bool IsVerified { get; set; }

    /// <summary>A size that is to be measured.</summary>
    public void Set(int size) => (Size, Rate, Service, IsMeasured, IsVerified) = (size, double.NaN, double.NaN, false, false);

    /// <summary>A size that was measured.</summary>
    public void Prove(int size, double rate, double service = double.NaN) => (Size, Rate, Service, IsMeasured, IsProven) = (size, rate, service, true, true);

    /// <summary>A size for which only its own measurement speaks: what is around it is still to be looked at.</summary>
    public void Keep(int size, double rate, double service)
    {
        IsVerified &= size == Size;
        Prove(size, rate, service);
    }

    /// <summary>The same size was measured again.</summary>
    public void Remeasure(double rate) => Rate = double.IsNaN(Rate) ? rate : Rate + (Follow * (rate - Rate));
}
