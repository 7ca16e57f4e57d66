using System.Text.Json;
using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>The memory of optima as it is kept in a file.</summary>
internal sealed record OptimumMemoryDocument
{
    private const string FormatName = "AdaptivePool optima";
    private const int CurrentVersion = 1;

    public string Format { get; init; } = "";

    public int Version { get; init; }

    /// <summary>The one used longest ago first.</summary>
    public IReadOnlyList<OptimumRecord> Optima { get; init; } = [];

    /// <summary>Writes records.</summary>
    public static byte[] Write(IReadOnlyList<OptimumRecord> optima) => JsonSerializer.SerializeToUtf8Bytes(
        new OptimumMemoryDocument { Format = FormatName, Version = CurrentVersion, Optima = optima }, OptimumMemoryJson.Default.OptimumMemoryDocument);

    /// <summary>Reads records; all of them are good, or there is an exception.</summary>
    /// <exception cref="JsonException">The text is damaged, or of another format or version; the message says so.</exception>
    public static IReadOnlyList<OptimumRecord> Read(ReadOnlySpan<byte> text)
    {
        OptimumMemoryDocument? read = JsonSerializer.Deserialize(text, OptimumMemoryJson.Default.OptimumMemoryDocument);
        if (read?.Format != FormatName)
        {
            throw new JsonException($"it is no memory of optima: its format is not \"{FormatName}\"");
        }

        if (read.Version != CurrentVersion)
        {
            throw new JsonException($"its version {read.Version} is not known; this library reads version {CurrentVersion}");
        }

        foreach (OptimumRecord record in read.Optima ?? throw new JsonException("it has no optima"))
        {
            if (string.IsNullOrEmpty(record.ClassName) || record.Size < 1 || !WorkloadProfile.IsKnown(record.ThroughputPerSecond) || !record.Profile.IsTelling)
            {
                throw new JsonException($"a record cannot be right: {record}");
            }
        }

        return read.Optima;
    }
}
