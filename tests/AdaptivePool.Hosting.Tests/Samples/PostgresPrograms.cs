using System.Globalization;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>Where the programs of a PostgreSQL server are on this machine.</summary>
internal static class PostgresPrograms
{
    private const string DebianRoot = "/usr/lib/postgresql";
    private static readonly string[] s_needed = ["initdb", "pg_ctl", "postgres"];

    /// <summary>The folder that holds all of them; null when there is none.</summary>
    public static string? Folder { get; } = Candidates().FirstOrDefault(folder => s_needed.All(program => File.Exists(Path.Combine(folder, program))));

    /// <summary>Why the tests cannot run here, and what to do; null when they can.</summary>
    public static string? Missing { get; } = Folder is null
        ? $"The PostgreSQL server programs {string.Join(", ", s_needed)} are neither on PATH nor under {DebianRoot}. Install them, for example: apt-get "
            + "install postgresql"
        : null;

    /// <summary>On the build server the programs belong to the job: a test that is silently left out there would never be missed.</summary>
    public static bool MayBeMissing => !string.Equals(Environment.GetEnvironmentVariable("CI"), "true", StringComparison.OrdinalIgnoreCase);

    private static IEnumerable<string> Candidates()
    {
        string[] path = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);
        string[] versions = Directory.Exists(DebianRoot) ? Directory.GetDirectories(DebianRoot) : [];
        return [.. path, .. versions.OrderByDescending(VersionOf).Select(folder => Path.Combine(folder, "bin"))];
    }

    private static double VersionOf(string folder)
        => double.TryParse(Path.GetFileName(folder), CultureInfo.InvariantCulture, out double version) ? version : 0;
}
