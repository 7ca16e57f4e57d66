using System.Text.Json.Serialization;

namespace AdaptivePool.Diagnostics;

/// <summary>The JSON format of a snapshot; generated, so that no reflection is needed.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true)]
[JsonSerializable(typeof(PoolSnapshot))]
internal sealed partial class PoolSnapshotJson : JsonSerializerContext;
