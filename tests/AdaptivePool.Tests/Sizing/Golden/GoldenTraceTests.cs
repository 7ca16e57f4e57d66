using AdaptivePool.Simulation.Golden;
using AdaptivePool.Tests.Architecture;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.Sizing.Golden;

/// <summary>What sizing was worth when the traces were recorded, it is worth still. What differs is printed; a difference that is meant is recorded again
/// (README.md).</summary>
public sealed class GoldenTraceTests(ITestOutputHelper output)
{
    /// <summary>Of the items per second of a recorded run that another path to the same end may cost.</summary>
    private const double MostLost = 0.1;

    public static TheoryData<string> EachFile => [.. GoldenRun.Files];

    private static string Folder => Path.Combine(Repository.Root, "tests", "AdaptivePool.Tests", "Sizing", "Golden");

    [Theory]
    [MemberData(nameof(EachFile))]
    public void Replay_EachTrace_IsWorthWhatItWas(string file)
    {
        IReadOnlyList<GoldenDifference> all = GoldenRun.Compare(Folder, file);
        foreach (GoldenDifference difference in all.Where(static d => !d.IsIdentical))
        {
            output.WriteLine(difference.ToString());
        }

        all.Where(static d => d.RateChange < -MostLost).Select(static d => d.ToString()).ShouldBeEmpty();
    }

    [Fact]
    public void Files_All_AreOfRunsThatThereAre() =>
        Directory.GetFiles(Folder, "*.txt").Select(Path.GetFileNameWithoutExtension).ShouldBe(GoldenRun.Files, ignoreOrder: true);

    [Fact]
    public void Files_Together_StaySmall() =>
        Directory.GetFiles(Folder, "*.txt").Sum(static f => new FileInfo(f).Length).ShouldBeLessThan(300_000);
}
