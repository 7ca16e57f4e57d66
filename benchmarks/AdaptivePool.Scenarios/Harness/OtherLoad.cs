using System.Globalization;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>Watches how busy the machine is between rounds, when this tool runs no load. Results from a busy machine mean little, so the report says
/// so.</summary>
public sealed class OtherLoad
{
    private const string Source = "/proc/stat";
    private const double WorthTelling = 15;
    private static readonly TimeSpan s_window = TimeSpan.FromMilliseconds(200);
    private readonly List<double> _percentages = [];

    /// <summary>Watches for 200 ms. Does nothing if the system does not report CPU times.</summary>
    public async Task LookAsync(CancellationToken cancellationToken)
    {
        if (!File.Exists(Source))
        {
            return;
        }

        (double busy, double all) = Read();
        await Task.Delay(s_window, cancellationToken);
        (double busyAfter, double allAfter) = Read();
        if (allAfter > all)
        {
            _percentages.Add(100 * (busyAfter - busy) / (allAfter - all));
        }
    }

    /// <summary>A note for the reader; null if the machine was quiet.</summary>
    public string? Summary()
    {
        double[] sorted = [.. _percentages.Order()];
        return sorted.Length == 0 || sorted[^1] < WorthTelling
            ? null
            : string.Create(CultureInfo.InvariantCulture,
                $"note: other processes used CPU between rounds, median {sorted[sorted.Length / 2]:0} %, at most {sorted[^1]:0} % of the machine; read "
                + $"differences with care.");
    }

    /// <summary>Busy and total time of all cores, in ticks: user, nice, system, idle, iowait, irq, softirq, steal.</summary>
    private static (double Busy, double All) Read()
    {
        double[] fields = [.. File.ReadLines(Source).First().Split(' ', StringSplitOptions.RemoveEmptyEntries).Skip(1).Take(8)
            .Select(f => double.Parse(f, CultureInfo.InvariantCulture))];
        double all = fields.Sum();
        return (all - fields[3] - fields[4], all);
    }
}
