namespace AdaptivePool.Simulation.Fleet;

/// <summary>
/// A database that serves some transactions at once and keeps the others waiting in order of arrival, on virtual time. Optionally it gets slower the more wait.
/// </summary>
/// <param name="Slots">Transactions that are served at once: the best limit.</param>
/// <param name="ServiceSeconds">Time that one takes.</param>
/// <param name="Noise">Coefficient of variation of that time.</param>
/// <param name="Crowding">Share by which as many waiting as there are slots make it slower.</param>
public sealed record FleetServer(int Slots = 64, double ServiceSeconds = 0.02, double Noise = 0.1, double Crowding = 0)
{
    /// <summary>Factor on the times of transactions, by the time: what else uses the machine.</summary>
    public Func<double, double> Slowness { get; init; } = static _ => 1;

    /// <summary>Seconds that opening a session takes, one after the other: an instance opens one when more are inside than ever before.</summary>
    public double SessionSeconds { get; init; }

    /// <summary>Share by which transactions are slower while sessions are opened: that uses the machine.</summary>
    public double SessionLoad { get; init; }

    /// <summary>Transactions a second that it can serve.</summary>
    public double Capacity => Slots / ServiceSeconds;

    /// <summary>Draws the time of a transaction that is served now.</summary>
    /// <param name="inside">Transactions that are served or wait at the server.</param>
    /// <param name="random">What is drawn from.</param>
    /// <param name="now">The present time, in seconds.</param>
    /// <param name="isOpening">Whether sessions are being opened.</param>
    public double Draw(int inside, Random random, double now, bool isOpening)
    {
        ArgumentNullException.ThrowIfNull(random);

        // Gamma by its mean and variation; near one for small variation, exponential for one.
        double shape = 1 / Math.Max(1e-4, Noise * Noise);
        double drawn = shape > 30 ? Math.Max(0.1, 1 + (Noise * Normal(random))) : Gamma(shape, random) / shape;
        return Slowness(now) * (1 + (isOpening ? SessionLoad : 0)) * ServiceSeconds * drawn * (1 + (Crowding * Math.Max(0, inside - Slots) / Slots));
    }

    private static double Normal(Random random) => Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());

    // Marsaglia and Tsang 2000, for shapes from one on.
    private static double Gamma(double shape, Random random)
    {
        double d = Math.Max(1, shape) - (1.0 / 3);
        double c = 1 / Math.Sqrt(9 * d);
        while (true)
        {
            double x = Normal(random);
            double v = Math.Pow(1 + (c * x), 3);
            if (v > 0 && Math.Log(1 - random.NextDouble()) < (0.5 * x * x) + d - (d * v) + (d * Math.Log(v)))
            {
                return d * v;
            }
        }
    }
}
