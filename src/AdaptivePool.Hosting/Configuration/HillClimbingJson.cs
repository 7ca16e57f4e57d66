using System.Text.Json.Serialization;
using AdaptivePool.Control;
using AdaptivePool.SeedWave;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>The options of the controller by name; generated, so that no reflection is needed.</summary>
[JsonSourceGenerationOptions(UseStringEnumConverter = true, PropertyNameCaseInsensitive = true)]
[JsonSerializable(typeof(HillClimbingOptions))]
[JsonSerializable(typeof(SeedWaveOptions))]
internal sealed partial class HillClimbingJson : JsonSerializerContext;
