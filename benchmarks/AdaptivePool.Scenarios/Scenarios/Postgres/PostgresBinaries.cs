namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Finds the server's programs.</summary>
public static class PostgresBinaries
{
    /// <summary>What to do when they are absent.</summary>
    public const string HowToInstall =
        "PostgreSQL's programs initdb, pg_ctl and pgbench were not found on PATH or under /usr/lib/postgresql. Install them, for example: apt-get install -y "
            + "postgresql postgresql-contrib";

    private static readonly string[] s_needed = ["initdb", "pg_ctl", "pgbench", "postgres"];

    /// <summary>Full paths by program name; null when one is absent.</summary>
    public static IReadOnlyDictionary<string, string>? Find()
    {
        List<string> folders = [];
        const string Root = "/usr/lib/postgresql";
        if (Directory.Exists(Root))
        {
            folders.AddRange(Directory.GetDirectories(Root).OrderByDescending(VersionOf).Select(d => Path.Combine(d, "bin")));
        }

        folders.AddRange((Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries));
        Dictionary<string, string> found = new(StringComparer.Ordinal);
        foreach (string program in s_needed)
        {
            string? path = folders.Select(f => Path.Combine(f, program)).FirstOrDefault(IsFile);
            if (path is null)
            {
                return null;
            }

            found[program] = path;
        }

        return found;
    }

    /// <summary>A link whose target was removed still exists as a file.</summary>
    private static bool IsFile(string path) => File.Exists(path) && File.ResolveLinkTarget(path, returnFinalTarget: true) is not { Exists: false };

    private static double VersionOf(string folder) =>
        double.TryParse(Path.GetFileName(folder), System.Globalization.CultureInfo.InvariantCulture, out double version) ? version : 0;
}
