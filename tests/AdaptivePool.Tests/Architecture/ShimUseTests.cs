using System.Text.RegularExpressions;

namespace AdaptivePool.Tests.Architecture;

/// <summary>In the folders where threads meet, they meet through the shim (<see cref="Internal.ISync"/>) only: what goes past it, the model checker cannot
/// see.</summary>
public sealed partial class ShimUseTests
{
    private static readonly string[] s_folders =
    [
        "src/AdaptivePool/Dispatch", "src/AdaptivePool/Housekeeping", "src/AdaptivePool/Groups", "src/AdaptivePool/Admission", "src/AdaptivePool.Data",
    ];

    /// <summary>A file of the root that does.</summary>
    private const string RootFile = "src/AdaptivePool/AdaptiveThreadPool.Lifetime.cs";

    [Fact]
    public void Files_WhereThreadsMeet_UseTheShimOnly() =>
        Direct().Select(d => $"{d.File}({d.Line}): {d.Text}").ShouldBeEmpty();

    private static IEnumerable<(string File, int Line, string Text)> Direct()
    {
        IEnumerable<string> inFolders = s_folders.Where(f => Directory.Exists(Path.Combine(Repository.Root, f))).SelectMany(f => Repository.Files(f, "*.cs"));
        foreach (string file in inFolders.Append(RootFile))
        {
            string[] lines = Repository.Read(file).Split('\n');
            for (int i = 0; i < lines.Length; i++)
            {
                string code = Text().Replace(lines[i].TrimStart(), "\"\"");
                if (!code.StartsWith("//", StringComparison.Ordinal) && Meeting().IsMatch(code))
                {
                    yield return (file, i + 1, code);
                }
            }
        }
    }

    [GeneratedRegex(@"\b(Interlocked|Volatile|Monitor)\.|\bThread\.(MemoryBarrier|Volatile|Sleep|Yield|SpinWait)|\bnew Thread\(|\b(SpinWait|SemaphoreSlim|(Manual|Auto)ResetEvent(Slim)?)\b|(?<!\.)\bLock\b(?!,)|\block \(|\bStopwatch\.Get(Timestamp|ElapsedTime\(\w+\))|\bRandom\.Shared|\bnew Random\b|\bTickCount")]
    private static partial Regex Meeting();

    // What stands in quotes is a name, not a use.
    [GeneratedRegex("\"[^\"]*\"")]
    private static partial Regex Text();
}
