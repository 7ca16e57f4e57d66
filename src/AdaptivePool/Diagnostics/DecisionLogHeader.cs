using System.Reflection;
using System.Text.Json;

namespace AdaptivePool.Diagnostics;

/// <summary>First line of a decision log: its writer, and what is needed to build the same controllers again.</summary>
internal sealed record DecisionLogHeader
{
    /// <summary>The value of <see cref="Format"/> in every decision log.</summary>
    public const string FormatName = "AdaptivePool decision log";

    /// <summary>The version that this library writes and reads.</summary>
    public const int CurrentVersion = 1;

    /// <summary>Name of the format: <see cref="FormatName"/>.</summary>
    public string Format { get; init; } = FormatName;

    /// <summary>Version of the format: <see cref="CurrentVersion"/>.</summary>
    public int Version { get; init; } = CurrentVersion;

    /// <summary>Version of the library that wrote the log.</summary>
    public string Product { get; init; } = "";

    /// <summary>Type of the controllers, such as <c>HillClimbingController</c>; "custom" when a factory of the program created them.</summary>
    public required string Controller { get; init; }

    /// <summary>All options of the controllers; <see langword="null"/> when they are not known. Then the log cannot be replayed.</summary>
    public HillClimbingOptions? Options { get; init; }

    /// <summary>The header of a log of hill-climbing controllers.</summary>
    /// <param name="options">Their options; <see langword="null"/> for the defaults.</param>
    public static DecisionLogHeader ForHillClimbing(HillClimbingOptions? options = null) => new()
    {
        Product = ProductVersion,
        Controller = nameof(HillClimbingController),
        Options = options ?? new(),
    };

    /// <summary>The header of a log of controllers that this library does not know.</summary>
    public static DecisionLogHeader ForCustom() => new() { Product = ProductVersion, Controller = "custom" };

    /// <summary>The header as a line.</summary>
    public string ToJson() => JsonSerializer.Serialize(this, DecisionLogJson.Default.DecisionLogHeader);

    private static string ProductVersion =>
        typeof(DecisionLogHeader).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "";
}
