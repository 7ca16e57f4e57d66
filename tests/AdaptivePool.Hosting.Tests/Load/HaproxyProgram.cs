using AdaptivePool.Hosting.Tests.Samples;

namespace AdaptivePool.Hosting.Tests.Load;

/// <summary>Where HAProxy is on this machine.</summary>
internal static class HaproxyProgram
{
    private static readonly string[] s_places = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy", "/usr/bin/haproxy"];

    /// <summary>The program; null when there is none.</summary>
    public static string? Path { get; } = s_places.FirstOrDefault(File.Exists);

    /// <summary>Why tests are left out; null when they are not. On the build server the program belongs to the job, as the database does.</summary>
    public static string? WhySkipped { get; } = Path is null && PostgresPrograms.MayBeMissing
        ? $"HAProxy is none of {string.Join(", ", s_places)}. Install it, for example: apt-get install --no-install-recommends haproxy"
        : null;
}
