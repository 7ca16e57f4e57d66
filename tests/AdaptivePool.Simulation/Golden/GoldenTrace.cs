using System.Globalization;

namespace AdaptivePool.Simulation.Golden;

/// <summary>What one simulated class or pool was given over a run, and what it did with it.</summary>
/// <param name="Name">What was run; unique in its file.</param>
/// <param name="Milliseconds">Length of the run.</param>
/// <param name="Items">Items completed.</param>
/// <param name="Steps">The decisions, in order of time; the first one is the size at the start.</param>
public sealed record GoldenTrace(string Name, long Milliseconds, long Items, IReadOnlyList<GoldenStep> Steps)
{
    /// <summary>Items completed per second.</summary>
    public double Rate => 1_000.0 * Items / Milliseconds;

    /// <summary>Makes a trace of decisions: those that repeat size and reason are left out.</summary>
    /// <param name="name">What was run.</param>
    /// <param name="seconds">Length of the run.</param>
    /// <param name="items">Items completed.</param>
    /// <param name="start">The size at the start.</param>
    /// <param name="decisions">The decisions, in order of time.</param>
    public static GoldenTrace Of(string name, double seconds, double items, int start, IEnumerable<(double Seconds, int Size, string Reason)> decisions)
    {
        List<GoldenStep> steps = [new(0, start, "Start")];
        foreach ((double at, int size, string reason) in decisions)
        {
            if (size != steps[^1].Size || reason != steps[^1].Reason)
            {
                steps.Add(new(ToMilliseconds(at), size, reason));
            }
        }

        return new(name, ToMilliseconds(seconds), (long)Math.Round(items), steps);
    }

    /// <summary>The size in force at a moment.</summary>
    public int SizeAt(long milliseconds)
    {
        int size = Steps[0].Size;
        foreach (GoldenStep step in Steps)
        {
            if (step.Milliseconds > milliseconds)
            {
                break;
            }

            size = step.Size;
        }

        return size;
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Name}: {Items} items in {Milliseconds} ms, {Steps.Count} steps");

    private static long ToMilliseconds(double seconds) => (long)Math.Round(1_000 * seconds);
}
