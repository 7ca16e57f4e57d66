using System.Globalization;

namespace AdaptivePool.Sensing;

/// <summary>Processors as the system's files list them: "0-3,8".</summary>
internal static class ProcessorList
{
    /// <summary>More than any system has; a file with a larger number is no list.</summary>
    private const int Most = 1 << 16;

    /// <summary>The processors of a list; <see langword="null"/> when the text is none.</summary>
    public static List<int>? TryParse(string? text)
    {
        if (text is null)
        {
            return null;
        }

        List<int> processors = [];
        foreach (string part in text.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            string[] ends = part.Split('-');
            if (ends.Length > 2 || !TryRead(ends[0], out int first) || !TryRead(ends[^1], out int last) || first > last)
            {
                return null;
            }

            for (int processor = first; processor <= last; processor++)
            {
                processors.Add(processor);
            }
        }

        return processors;
    }

    /// <summary>The processors that this process may use; <see langword="null"/> where the system does not report them.</summary>
    /// <param name="root">Folder that stands for "/".</param>
    /// <exception cref="IOException">The list cannot be read now.</exception>
    public static string? Allowed(string root) =>
        OperatingSystem.IsLinux() && SmallFile.Read(SmallFile.Below(root, "/proc/self/status")) is { } status
            ? SmallFile.ValueOf(status, "Cpus_allowed_list:")
            : null;

    private static bool TryRead(string text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number < Most;
}
