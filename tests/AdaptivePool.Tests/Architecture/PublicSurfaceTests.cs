using System.Reflection;

namespace AdaptivePool.Tests.Architecture;

/// <summary>
/// What users can see, kept in files so that a change of it is a change somebody looks at. To accept a change set the environment variable
/// ADAPTIVEPOOL_UPDATE_SURFACE=1, run this test once and review the difference.
/// </summary>
public sealed class PublicSurfaceTests
{
    private const string UpdateVariable = "ADAPTIVEPOOL_UPDATE_SURFACE";

    [Theory]
    [InlineData("AdaptivePool")]
    [InlineData("AdaptivePool.Data")]
    [InlineData("AdaptivePool.Hosting")]
    [InlineData("AdaptivePool.EntityFrameworkCore")]
    [InlineData("AdaptivePool.Balancing")]
    [InlineData("AdaptivePool.Yarp")]
    public void PublicSurface_EachAssembly_IsAsRecorded(string assembly)
    {
        string path = Path.Combine(Repository.Root, "tests", "AdaptivePool.Tests", "Architecture", $"PublicSurface.{assembly}.txt");
        string[] actual = [.. PublicSurface.Lines(Assembly.Load(assembly))];
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1")
        {
            File.WriteAllLines(path, actual);
        }

        File.Exists(path).ShouldBeTrue($"set {UpdateVariable}=1 and run this test once to record the surface");
        string[] recorded = File.ReadAllLines(path);
        string[] difference = [.. recorded.Except(actual).Select(l => "- " + l), .. actual.Except(recorded).Select(l => "+ " + l)];
        difference.ShouldBeEmpty(
            $"the public surface changed; if that is meant, set {UpdateVariable}=1, run this test once and commit {Path.GetFileName(path)}");
    }

    /// <summary>A surface that one can learn (ADR 124).</summary>
    [Theory]
    [InlineData(50, "AdaptivePool")]
    [InlineData(15, "AdaptivePool.Data", "AdaptivePool.EntityFrameworkCore")]
    public void PublicTypes_OfTheseAssemblies_AreFew(int most, params string[] assemblies) =>
        assemblies.Sum(static it => Assembly.Load(it).GetExportedTypes().Length).ShouldBeLessThanOrEqualTo(most);
}
