using System.Text.RegularExpressions;

namespace AdaptivePool.Tests.Architecture;

/// <summary>In the folders where threads meet, they meet through the shim (<see cref="Internal.ISync"/>) only: what goes past it, the model checker cannot see.</summary>
public sealed partial class ShimUseTests
{
    private static readonly string[] s_folders = ["Queues", "Workers", "Classes", "Groups", "Admission", "Blocking"];

    /// <summary>Files that are not converted yet. The list only gets shorter: a file that no longer needs to be here must go.</summary>
    private static readonly string[] s_notConverted =
    [
        "Workers/StarterLoop.cs",
        "Workers/ThreadSource.cs",
        "Workers/Worker.Execute.cs",
        "Workers/Worker.Take.cs",
        "Workers/Worker.Wait.cs",
        "Workers/Worker.cs",
        "Workers/WorkerSet.Threads.cs",
        "Workers/WorkerSet.cs",
        "Classes/ClassCore.cs",
        "Classes/Generation.cs",
        "Classes/ServiceTimeHistogram.cs",
        "Classes/WorkClassMap.cs",
        "Blocking/BlockerEntry.cs",
        "Blocking/BlockerTable.cs",
        "Blocking/BlockingMonitor.cs",
        "Blocking/WorkerReadings.cs",
        "Admission/GatedConnection.Transactions.cs",
        "Admission/LeaseFlow.cs",
        "Admission/LeaseHold.cs",
        "Admission/LeaseSet.cs",
        "Admission/OverloadMonitor.cs",
        "Admission/PermitWord.cs",
        "Admission/TransactionGate.Leases.cs",
        "Admission/TransactionGate.Queue.cs",
        "Admission/TransactionGate.Watch.cs",
        "Admission/TransactionGate.cs",
        "Admission/TransactionLease.cs",
    ];

    [Fact]
    public void Files_WhereThreadsMeet_UseTheShimOnly() =>
        Direct().Where(d => !s_notConverted.Contains(d.File)).Select(d => $"{d.File}({d.Line}): {d.Text}").ShouldBeEmpty();

    [Fact]
    public void Exceptions_Each_IsStillNeeded() => s_notConverted.Except(Direct().Select(d => d.File)).ShouldBeEmpty("these use the shim only; take them off the list");

    private static IEnumerable<(string File, int Line, string Text)> Direct()
    {
        foreach (string file in s_folders.Where(f => Directory.Exists(Path.Combine(Repository.Root, "src/AdaptivePool", f))).SelectMany(f => Repository.Files($"src/AdaptivePool/{f}", "*.cs")))
        {
            string[] lines = Repository.Read(file).Split('\n');
            for (int i = 0; i < lines.Length; i++)
            {
                string code = Text().Replace(lines[i].TrimStart(), "\"\"");
                if (!code.StartsWith("//", StringComparison.Ordinal) && Meeting().IsMatch(code))
                {
                    yield return (file["src/AdaptivePool/".Length..], i + 1, code);
                }
            }
        }
    }

    [GeneratedRegex(@"\b(Interlocked|Volatile|Monitor)\.|\bThread\.(MemoryBarrier|Volatile|Sleep|Yield|SpinWait)|\bnew Thread\(|\b(SpinWait|SemaphoreSlim|ManualResetEvent(Slim)?)\b|(?<!\.)\bLock\b(?!,)|\block \(")]
    private static partial Regex Meeting();

    // What stands in quotes is a name, not a use.
    [GeneratedRegex("\"[^\"]*\"")]
    private static partial Regex Text();
}
