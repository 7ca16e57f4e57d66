using System.Globalization;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>A <see cref="ThreadCreationThrottle"/> as text: "Databases", or steps like "4=50, 8=100" (from so many threads on, so many milliseconds).</summary>
internal static class ThrottleText
{
    public const string Allowed = "Databases, or steps 'threads=milliseconds' with rising threads from 1 and 0 to 60000 ms each, such as '4=50, 8=100, 16=200'";

    public static bool TryRead(string text, out ThreadCreationThrottle? throttle)
    {
        throttle = null;
        if (string.Equals(text.Trim(), nameof(ThreadCreationThrottle.Databases), StringComparison.OrdinalIgnoreCase))
        {
            throttle = ThreadCreationThrottle.Databases;
            return true;
        }

        List<ThreadCreationStep> steps = [];
        foreach (var part in text.Split(','))
        {
            var sides = part.Split('=');
            if (sides.Length != 2
                || !int.TryParse(sides[0], CultureInfo.InvariantCulture, out var threads)
                || !int.TryParse(sides[1], CultureInfo.InvariantCulture, out var milliseconds))
            {
                return false;
            }

            steps.Add(new ThreadCreationStep(threads, TimeSpan.FromMilliseconds(milliseconds)));
        }

        try
        {
            throttle = new ThreadCreationThrottle(steps);
            return true;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }
}
