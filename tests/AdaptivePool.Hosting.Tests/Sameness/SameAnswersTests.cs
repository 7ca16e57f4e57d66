using System.Globalization;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>
/// An app with the pool answers as one without: random pipelines, handlers and requests are run without the pool and with it, and what clients get and what
/// middleware sees is compared. ADAPTIVEPOOL_SCENES is the number of seeds.
/// </summary>
public sealed class SameAnswersTests
{
    private const int Scenes = 3;

    /// <summary>How often a scene is run without the pool where one with it differs: what differs there by itself tells nothing.</summary>
    private const int MostRuns = 6;

    // All guests are looked at from here on, as in the tests beside this one. A long run is alone, and has the others as well.
    static SameAnswersTests()
    {
        if (Asked is null)
        {
            AdaptiveThreadPool.CurrentBlockingAction = null;
        }
    }

    private static int? Asked { get; } =
        int.TryParse(Environment.GetEnvironmentVariable("ADAPTIVEPOOL_SCENES"), CultureInfo.InvariantCulture, out int scenes) ? scenes : null;

    public static TheoryData<int> Seeds() => [.. Enumerable.Range(0, Asked ?? Scenes)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task Scene_WithThePool_AnswersAsWithout(int seed)
    {
        var scene = new Scene(seed);
        string server = scene.Pick(Setting.TestServer, "1.1", "1.1", "2.0");
        var without = new Setting(server, Setting.Use.None);
        List<SortedDictionary<string, string>> expected = [await new SceneRun(scene, without).RunAsync()];
        foreach (Setting.Use use in (Setting.Use[])[Setting.Use.NoGuests, Setting.Use.Guests, Setting.Use.GuestsFromTheStart])
        {
            Setting setting = scene.PickSetting(use, server);
            SortedDictionary<string, string> found = await new SceneRun(scene, setting).RunAsync();
            while (FindDifference(expected, found) is { } difference)
            {
                expected.Count.ShouldBeLessThan(MostRuns, $"{setting}\n{scene}\n{difference}");
                expected.Add(await new SceneRun(scene, without).RunAsync());
            }
        }
    }

    /// <summary>The first request that ended as in none of the runs without the pool.</summary>
    private static string? FindDifference(List<SortedDictionary<string, string>> expected, SortedDictionary<string, string> found) =>
        found.Where(it => !expected.Exists(one => one[it.Key] == it.Value))
            .Select(it => $"{it.Key} without the pool:\n{expected[0][it.Key]}\n\n{it.Key} with it:\n{it.Value}\n")
            .FirstOrDefault();
}
