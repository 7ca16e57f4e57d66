using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using AdaptivePool.Control;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

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

    /// <summary>Docs tell users to write 0 for no time, and an editor marked it. A day written as 24 hours is read as 24 days, and it marked nothing.</summary>
    [Theory]
    [InlineData("DrainTimeout", "0", true)]
    [InlineData("DrainTimeout", "\"0\"", true)]
    [InlineData("DrainTimeout", "\"Infinite\"", true)]
    [InlineData("DrainTimeout", "\"00:00:30.5\"", true)]
    [InlineData("DrainTimeout", "\"1.00:00\"", true)]
    [InlineData("DrainTimeout", "\"-00:00:01\"", false)]
    [InlineData("DrainTimeout", "30", false)]
    [InlineData("IdleTimeout", "\"9:05\"", true)]
    [InlineData("IdleTimeout", "\"23:59:59.9999999\"", true)]
    [InlineData("IdleTimeout", "\"24:00:00\"", false)]
    [InlineData("IdleTimeout", "\"00:60:00\"", false)]
    [InlineData("IdleTimeout", "\"00:00:60\"", false)]
    [InlineData("IdleTimeout", "\"Infinite\"", false)]
    [InlineData("IdleTimeout", "0", false)]
    public void Schema_Time_IsAcceptedIfTheSectionAcceptsIt(string key, string value, bool isAccepted)
    {
        JsonNode schema = JsonNode.Parse(ConfigurationSchema.Write())!["properties"]!["AdaptivePool"]!["properties"]![key]!;
        Accepts(schema, JsonNode.Parse(value)!).ShouldBe(isAccepted);
        using var json = new MemoryStream(Encoding.UTF8.GetBytes($"{{ \"AdaptivePool\": {{ \"{key}\": {value} }} }}"));
        using ServiceProvider services = new ServiceCollection()
            .AddSingleton<IConfiguration>(new ConfigurationBuilder().AddJsonStream(json).Build()).AddAdaptivePool().BuildServiceProvider();
        Exception? failure = Record.Exception(() => services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value);
        (failure is null).ShouldBe(isAccepted, failure?.Message);
    }

    // As much of the rules of a schema as times need.
    private static bool Accepts(JsonNode schema, JsonNode value) =>
        schema["anyOf"] is JsonArray several ? several.Any(one => Accepts(one!, value))
            : schema["enum"] is JsonArray values ? values.Any(one => JsonNode.DeepEquals(one, value))
            : value.GetValueKind() == JsonValueKind.String && Regex.IsMatch((string)value!, (string)schema["pattern"]!);

    [Fact]
    public void Schema_SectionsWithinSections_AreThere() =>
        JsonNode.Parse(ConfigurationSchema.Write())!["properties"]!["AdaptivePool"]!["properties"]!["HillClimbing"]!["properties"]!["Seed"]!["properties"]!
            .AsObject().ShouldContainKey(nameof(SeedWaveOptions.WavePeriod));
}
