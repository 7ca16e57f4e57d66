using System.Globalization;

namespace AdaptivePool.Simulation.Golden;

/// <summary>What a run of the present build does otherwise than a recorded one.</summary>
/// <param name="Recorded">The trace on file.</param>
/// <param name="Present">The same run now.</param>
public sealed record GoldenDifference(GoldenTrace Recorded, GoldenTrace Present)
{
    private const long GrainMilliseconds = 10;

    /// <summary>Whether every step is the same.</summary>
    public bool IsIdentical => Recorded.Milliseconds == Present.Milliseconds && Recorded.Items == Present.Items && Recorded.Steps.SequenceEqual(Present.Steps);

    /// <summary>Items per second now, over those on file, less one.</summary>
    public double RateChange => (Present.Rate / Recorded.Rate) - 1;

    /// <summary>Share of the time that both ran in which the sizes are the same.</summary>
    public double SameSizeShare
    {
        get
        {
            long end = Math.Min(Recorded.Milliseconds, Present.Milliseconds);
            int same = 0;
            int all = 0;
            for (long at = 0; at < end; at += GrainMilliseconds)
            {
                same += Recorded.SizeAt(at) == Present.SizeAt(at) ? 1 : 0;
                all++;
            }

            return all == 0 ? 1 : (double)same / all;
        }
    }

    /// <summary>The first step that is another one, in words; null when there is none.</summary>
    public string? First
    {
        get
        {
            int i = 0;
            while (i < Recorded.Steps.Count && i < Present.Steps.Count && Recorded.Steps[i] == Present.Steps[i])
            {
                i++;
            }

            return i == Recorded.Steps.Count && i == Present.Steps.Count ? null : $"recorded {Text(Recorded, i)}, now {Text(Present, i)}";
        }
    }

    /// <inheritdoc/>
    public override string ToString() => IsIdentical
        ? $"{Recorded.Name}: the same"
        : string.Create(
            CultureInfo.InvariantCulture,
            $"{Recorded.Name}: rate {100 * RateChange:+0.0;-0.0;0.0} % ({Recorded.Rate:0} to {Present.Rate:0}/s), peak {Peak(Recorded)} to {Peak(Present)}, "
                + $"same size {100 * SameSizeShare:0} % of the time; first: {First ?? "the steps are the same"}");

    private static int Peak(GoldenTrace trace) => trace.Steps.Max(static s => s.Size);

    private static string Text(GoldenTrace trace, int index) => index >= trace.Steps.Count
        ? "no further step"
        : string.Create(CultureInfo.InvariantCulture,
            $"{(index > 0 ? trace.Steps[index - 1].Size : 0)} -> {trace.Steps[index].Size} {trace.Steps[index].Reason} at {trace.Steps[index].Milliseconds} ms");
}
