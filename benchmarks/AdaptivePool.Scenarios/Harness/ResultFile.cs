using System.Text.Json;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>Writes results as JSON.</summary>
public static class ResultFile
{
    private static readonly JsonWriterOptions s_options = new() { Indented = true };

    /// <summary>Writes an array with one object per cell; a censored cell carries <c>"censored": true</c>.</summary>
    public static void Write(string path, IReadOnlyList<ResultCell> cells)
    {
        using FileStream stream = File.Create(path);
        using Utf8JsonWriter writer = new(stream, s_options);
        writer.WriteStartArray();
        foreach (ResultCell cell in cells)
        {
            writer.WriteStartObject();
            writer.WriteString("scenario", cell.Scenario);
            writer.WriteString("case", cell.Case);
            writer.WriteString("pool", cell.Pool);
            writer.WriteString("metric", cell.Metric.Name);
            writer.WriteString("unit", cell.Metric.Unit);
            writer.WriteStartArray("values");
            foreach (double value in cell.Values)
            {
                writer.WriteNumberValue(Math.Round(value, 4));
            }

            writer.WriteEndArray();
            writer.WriteNumber("median", Math.Round(cell.Median, 4));
            if (cell.Censored)
            {
                writer.WriteBoolean("censored", true);
            }

            writer.WriteEndObject();
        }

        writer.WriteEndArray();
    }
}
