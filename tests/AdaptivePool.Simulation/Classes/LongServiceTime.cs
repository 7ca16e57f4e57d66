namespace AdaptivePool.Simulation.Classes;

/// <summary>99th percentile of service times weighted by time, and their mean by count; half-life 60 s.</summary>
internal sealed class LongServiceTime
{
    private const double Ratio = 1.1;
    private const int Buckets = 240;
    private readonly double[] _weights = new double[Buckets];
    private double _unit = 1;

    public void Add(double service, long items = 1) => _weights[Index(service)] += items * service * _unit;

    public void Age(double seconds) => _unit *= Math.Pow(2, seconds / 60);

    public double Percentile()
    {
        double total = _weights.Sum();
        double above = 0;
        for (int i = _weights.Length - 1; i >= 0 && total > 0; i--)
        {
            above += _weights[i];
            if (above >= 0.01 * total)
            {
                return Edge(i);
            }
        }

        return 0;
    }

    public double Mean()
    {
        double items = _weights.Select(static (weight, i) => weight / Edge(i)).Sum();
        return items > 0 ? _weights.Sum() / items : 0;
    }

    private static double Edge(int index) => 1e-6 * Math.Pow(Ratio, index);

    private static int Index(double service) => (int)Math.Clamp(Math.Ceiling(Math.Log(service / 1e-6) / Math.Log(Ratio)), 0, Buckets - 1);
}
