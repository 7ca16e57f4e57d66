using System.Text.Json.Serialization;

namespace AdaptivePool.Diagnostics;

/// <summary>How a snapshot looks as JSON; generated, so that no reflection is needed.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true)]
[JsonSerializable(typeof(PoolSnapshot))]
internal sealed partial class PoolSnapshotJson : JsonSerializerContext;
