using System.Globalization;

namespace AdaptivePool.Scenarios.Pictures;

/// <summary>Values of one axis of a picture and where they are drawn.</summary>
/// <param name="From">The lowest value.</param>
/// <param name="To">The highest value.</param>
/// <param name="Start">Where the lowest value is drawn, in pixels.</param>
/// <param name="End">Where the highest value is drawn, in pixels.</param>
/// <param name="IsLogarithmic">Whether equal ratios are equally far apart.</param>
public sealed record PictureAxis(double From, double To, double Start, double End, bool IsLogarithmic = false)
{
    private const double WantedTicks = 6;

    /// <summary>Where a value is drawn.</summary>
    public double At(double value)
    {
        double share = IsLogarithmic
            ? Math.Log(Math.Max(value, From) / From) / Math.Log(To / From)
            : (value - From) / (To - From);
        return Start + (Math.Clamp(share, 0, 1) * (End - Start));
    }

    /// <summary>Round values worth a label.</summary>
    public IReadOnlyList<double> Ticks() => IsLogarithmic ? LogarithmicTicks() : LinearTicks();

    /// <summary>A value as people write it.</summary>
    public static string Label(double value) => value.ToString(value is > 0 and < 1 ? "0.##" : "#,##0.#", CultureInfo.InvariantCulture);

    private List<double> LinearTicks()
    {
        double rough = (To - From) / WantedTicks;
        double power = Math.Pow(10, Math.Floor(Math.Log10(rough)));
        double step = power * (rough / power) switch
        {
            <= 1 => 1,
            <= 2 => 2,
            <= 5 => 5,
            _ => 10,
        };
        List<double> ticks = [];
        for (double tick = Math.Ceiling(From / step) * step; tick <= To + (step * 1e-9); tick += step)
        {
            ticks.Add(tick);
        }

        return ticks;
    }

    private List<double> LogarithmicTicks()
    {
        double[] steps = To / From > 1000 ? [1] : [1, 2, 5];
        List<double> ticks = [];
        for (double decade = Math.Pow(10, Math.Floor(Math.Log10(From))); decade <= To; decade *= 10)
        {
            ticks.AddRange(steps.Select(s => s * decade).Where(t => t >= From && t <= To));
        }

        return ticks;
    }
}
