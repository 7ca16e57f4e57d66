using System.Text.Json.Nodes;
using AdaptivePool.Control;

namespace AdaptivePool.Tests.Architecture;

/// <summary>
/// The JSON schema in the package is the one that the options give. To accept a change set the environment variable ADAPTIVEPOOL_UPDATE_SURFACE=1, run this
/// test once and review the difference.
/// </summary>
public sealed class ConfigurationSchemaTests
{
    private const string File = "src/AdaptivePool.Hosting/ConfigurationSchema.json";

    [Fact]
    public void Schema_InThePackage_IsThatOfTheOptions()
    {
        string path = Path.Combine(Repository.Root, File);
        string actual = ConfigurationSchema.Write();
        if (Environment.GetEnvironmentVariable("ADAPTIVEPOOL_UPDATE_SURFACE") == "1")
        {
            System.IO.File.WriteAllText(path, actual);
        }

        Repository.Read(File)
            .ShouldBe(actual, "the options changed; if that is meant, set ADAPTIVEPOOL_UPDATE_SURFACE=1, run this test once and commit the file");
    }

    [Fact]
    public void Schema_OfAPool_HasItsKeysWithTypeRangeAndMeaning()
    {
        JsonNode properties = JsonNode.Parse(Repository.Read(File))!["properties"]!;
        JsonNode most = properties["AdaptivePool"]!["properties"]!["MaxThreads"]!;
        ((string)most["type"]!, (int)most["minimum"]!, (int)most["maximum"]!).ShouldBe(("integer", 1, 32_767));
        ((string)most["description"]!).ShouldStartWith("The maximum number of pool threads.");
        properties["AdaptivePool"]!["properties"]!["Pools"]!["additionalProperties"]!["properties"]!["MaxThreads"].ShouldNotBeNull();
        ((int)properties["TransactionGates"]!["additionalProperties"]!["properties"]!["PermitLimit"]!["maximum"]!).ShouldBe(1_000_000);
    }

    [Fact]
    public void Schema_SectionsWithinSections_AreThere() =>
        JsonNode.Parse(ConfigurationSchema.Write())!["properties"]!["AdaptivePool"]!["properties"]!["HillClimbing"]!["properties"]!["Seed"]!["properties"]!
            .AsObject().ShouldContainKey(nameof(SeedWaveOptions.WavePeriod));
}
