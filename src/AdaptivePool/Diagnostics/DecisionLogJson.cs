using System.Text.Json.Serialization;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// How the lines of a decision log look as JSON; generated, so that no reflection is needed. Names stay as they are when the log is read by other tools.
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
