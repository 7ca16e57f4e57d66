namespace AdaptivePool.Simulation.Classes;

/// <summary>99th percentile of service times weighted by time, half-life 60 s.</summary>
internal sealed class LongServiceTime
{
    private const double Ratio = 1.1;
    private readonly double[] _weights = new double[240];
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
                return 1e-6 * Math.Pow(Ratio, i);
            }
        }

        return 0;
    }

    private int Index(double service) => (int)Math.Clamp(Math.Ceiling(Math.Log(service / 1e-6) / Math.Log(Ratio)), 0, _weights.Length - 1);
}
