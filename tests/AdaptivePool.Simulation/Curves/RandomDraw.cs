namespace AdaptivePool.Simulation.Curves;

/// <summary>Draws the numbers of random work.</summary>
/// <param name="seed">Always the same for a seed.</param>
internal sealed class RandomDraw(int seed)
{
    // A curve of the same seed has a stream of its own.
    private const int Stream = 0x3E50;

    private const int MostDoublingsOfCores = 5;
    private readonly Random _random = new(seed ^ (Stream << 16));

    /// <summary>Evenly on a logarithmic scale.</summary>
    public double Ratio(double low, double high) => low * Math.Pow(high / low, _random.NextDouble());

    /// <summary>Evenly.</summary>
    public double Between(double low, double high) => low + ((high - low) * _random.NextDouble());

    /// <summary>Once in so many times.</summary>
    public bool OneIn(int times) => _random.Next(times) == 0;

    /// <summary>1 to 32 cores.</summary>
    public int Cores() => 1 << _random.Next(MostDoublingsOfCores + 1);
}
