using System.Text.Json.Serialization;

namespace AdaptivePool.Sizing;

/// <summary>How the memory of optima looks as JSON; generated, so that no reflection is needed.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    IgnoreReadOnlyProperties = true,
    WriteIndented = true)]
[JsonSerializable(typeof(OptimumMemoryDocument))]
internal sealed partial class OptimumMemoryJson : JsonSerializerContext;
