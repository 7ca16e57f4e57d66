using System.Text.Json.Serialization;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// The JSON format of the lines of a decision log; generated, so that no reflection is needed. The names must not change, because other tools read the log.
/// Doubles are written so that reading gives the same bits; not-a-number and the infinities are written as words.
/// </summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UseStringEnumConverter = true,
    NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow)]
[JsonSerializable(typeof(DecisionLogHeader))]
[JsonSerializable(typeof(DecisionLogEntry))]
[JsonSerializable(typeof(HillClimbingOptions))]
internal sealed partial class DecisionLogJson : JsonSerializerContext;
