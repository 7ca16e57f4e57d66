using System.Text.RegularExpressions;
using AdaptivePool.Tests.Architecture;

namespace AdaptivePool.Tests.Faults;

/// <summary>A wall clock that is set back, or forward, cannot matter: nothing in src reads one.</summary>
public sealed partial class WallClockTests
{
    /// <summary>Reads the tick count, which is monotonic, behind a TimeProvider.</summary>
    private const string CoarseTime = "src/AdaptivePool/Internal/CoarseTime.cs";

    /// <summary>Orders instances that share no other clock; any order does.</summary>
    private const string FleetIdentity = "src/AdaptivePool/Admission/FleetIdentity.cs";

    /// <summary>Orders the runs of one backend; where it is wrong a report is late, and no more (<c>BackendStateTests</c>).</summary>
    private const string RunNumber = "src/AdaptivePool.Hosting/Load/LoadReporter.cs";

    [Fact]
    public void Sources_None_ReadsAWallClock()
    {
        string[] files = [.. Repository.SourceFiles()
            .Where(static f => f.StartsWith("src/", StringComparison.Ordinal) && f is not (CoarseTime or FleetIdentity or RunNumber))];
        files.Length.ShouldBeGreaterThan(100);
        files.Where(static f => WallClock().IsMatch(Repository.Read(f))).ShouldBeEmpty();
    }

    [Theory]
    [InlineData("P:System.DateTime.Now")]
    [InlineData("P:System.DateTime.UtcNow")]
    [InlineData("P:System.DateTime.Today")]
    [InlineData("P:System.DateTimeOffset.Now")]
    [InlineData("P:System.DateTimeOffset.UtcNow")]
    [InlineData("P:System.Environment.TickCount")]
    [InlineData("P:System.Environment.TickCount64")]
    public void BannedSymbols_WallClocks_AreListed(string symbol) => Repository.Read("BannedSymbols.txt").ShouldContain(symbol + ";");

    [Fact]
    public void Pattern_WallClocks_AreFound()
    {
        WallClock().IsMatch("var now = DateTime.UtcNow;").ShouldBeTrue();
        WallClock().IsMatch("DateTimeOffset . Now").ShouldBeTrue();
        WallClock().IsMatch("Environment.TickCount64").ShouldBeTrue();
        WallClock().IsMatch("Stopwatch.GetTimestamp()").ShouldBeFalse();
    }

    [GeneratedRegex(@"\bDateTime(Offset)?\s*\.\s*(Utc)?(Now|Today)\b|\bEnvironment\s*\.\s*TickCount|\bGetUtcNow\b|\bGetLocalNow\b")]
    private static partial Regex WallClock();
}
