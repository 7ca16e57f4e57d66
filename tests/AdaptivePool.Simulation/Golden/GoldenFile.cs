using System.Globalization;

namespace AdaptivePool.Simulation.Golden;

/// <summary>
/// Traces as text. A trace begins with a line <c>= MILLISECONDS ITEMS NAME</c>; each line after it is a step: milliseconds since the step before, size, and the
/// reason where it is another one than before. Lines that begin with # are for people.
/// </summary>
public static class GoldenFile
{
    private const char Comment = '#';
    private const char Head = '=';

    /// <summary>Writes traces.</summary>
    /// <param name="path">The file; it is replaced.</param>
    /// <param name="traces">The traces.</param>
    public static void Write(string path, IEnumerable<GoldenTrace> traces)
    {
        using StreamWriter writer = new(path) { NewLine = "\n" };
        writer.WriteLine($"{Comment} Golden traces; README.md says how they are recorded.");
        foreach (GoldenTrace trace in traces)
        {
            writer.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{Head} {trace.Milliseconds} {trace.Items} {trace.Name}"));
            GoldenStep before = new(0, 0, "");
            foreach (GoldenStep step in trace.Steps)
            {
                string reason = step.Reason == before.Reason ? "" : " " + step.Reason;
                writer.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{step.Milliseconds - before.Milliseconds} {step.Size}{reason}"));
                before = step;
            }
        }
    }

    /// <summary>Reads traces.</summary>
    /// <exception cref="FormatException">A line cannot be read; the message names file, line number and line.</exception>
    public static IReadOnlyList<GoldenTrace> Read(string path)
    {
        List<GoldenTrace> traces = [];
        List<GoldenStep> steps = [];
        int number = 0;
        foreach (string line in File.ReadLines(path))
        {
            number++;
            string[] parts = line.Split(' ', 4);
            if (line.Length == 0 || line[0] == Comment)
            {
                continue;
            }

            if (parts is ["=", var length, var items, var name] && TryRead(length, out long milliseconds) && TryRead(items, out long completed))
            {
                steps = [];
                traces.Add(new(name, milliseconds, completed, steps));
            }
            else if (traces.Count > 0 && parts is [var after, var size, .. var reason] && reason.Length < 2 && (reason.Length == 1 || steps.Count > 0)
                && TryRead(after, out long delay) && TryRead(size, out long threads) && threads is >= 1 and <= int.MaxValue)
            {
                steps.Add(new((steps.Count > 0 ? steps[^1].Milliseconds : 0) + delay, (int)threads, reason is [var given] ? given : steps[^1].Reason));
            }
            else
            {
                throw new FormatException($"{path}({number}): '{line}' is no line of a golden trace.");
            }
        }

        return traces.TrueForAll(static t => t.Steps.Count > 0 && t.Milliseconds > 0) && traces.Count > 0 ? traces
            : throw new FormatException($"{path}: a trace without a step, or none at all.");
    }

    private static bool TryRead(string text, out long value) => long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value);
}
