using System.Globalization;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>A <see cref="AdaptivePoolOptions.ThreadCreationThrottle"/> as text: "Databases", or steps like "4=50, 8=100" (from so many threads on, so many
/// milliseconds).</summary>
internal static class ThrottleText
{
    public const string Allowed = "Databases, or steps 'threads=milliseconds', each number of threads once, such as '4=50, 8=100, 16=200'";

    public static IReadOnlyDictionary<int, TimeSpan>? Read(string text)
    {
        if (string.Equals(text.Trim(), "Databases", StringComparison.OrdinalIgnoreCase))
        {
            return AdaptivePoolOptions.DatabaseThreadCreationThrottle;
        }

        Dictionary<int, TimeSpan> steps = [];
        foreach (var part in text.Split(','))
        {
            var sides = part.Split('=');
            if (sides.Length != 2
                || !int.TryParse(sides[0], CultureInfo.InvariantCulture, out var threads)
                || !int.TryParse(sides[1], CultureInfo.InvariantCulture, out var milliseconds)
                || !steps.TryAdd(threads, TimeSpan.FromMilliseconds(milliseconds)))
            {
                return null;
            }
        }

        return steps;
    }
}
