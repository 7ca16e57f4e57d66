using System.Text.Json;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Simulation.Replay;

/// <summary>
/// Reads a decision log line by line. A last line that a crash cut off is tolerated and noted; any other damage is an error that names the line.
/// </summary>
internal sealed class DecisionLogReader : IDisposable
{
    private readonly TextReader _reader;
    private string? _next;
    private bool _nextIsWhole;

    /// <summary>Opens a log and reads its header.</summary>
    /// <param name="reader">The text; disposed with this object.</param>
    /// <exception cref="ArgumentNullException"><paramref name="reader"/> is null.</exception>
    /// <exception cref="DecisionLogException">The first line is no header of a known version, or its options are out of range.</exception>
    public DecisionLogReader(TextReader reader)
    {
        ArgumentNullException.ThrowIfNull(reader);
        _reader = reader;
        Advance();
        Line = 1;
        if (_next is null)
        {
            throw new DecisionLogException(Line, "the file is empty");
        }

        try
        {
            Header = DecisionLogLine.ReadHeader(_next);
        }
        catch (JsonException exception)
        {
            throw new DecisionLogException(Line, Problem(exception), exception);
        }

        Advance();
    }

    /// <summary>The first line.</summary>
    public DecisionLogHeader Header { get; }

    /// <summary>Number of the line read last, from 1.</summary>
    public int Line { get; private set; }

    /// <summary>What was tolerated; <see langword="null"/> when nothing was, and before the end is reached.</summary>
    public string? Note { get; private set; }

    /// <summary>Opens a file.</summary>
    /// <param name="path">Path of the log.</param>
    /// <exception cref="DecisionLogException">As the constructor.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The file must not be read.</exception>
    public static DecisionLogReader Open(string path)
    {
        var file = new StreamReader(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
        try
        {
            return new(file);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Reads the next entry.</summary>
    /// <returns>The entry; <see langword="null"/> at the end.</returns>
    /// <exception cref="DecisionLogException">The line is damaged.</exception>
    public DecisionLogEntry? Read()
    {
        if (_next is not { } text)
        {
            return null;
        }

        Line++;
        bool whole = _nextIsWhole;
        Advance();
        try
        {
            return DecisionLogLine.ReadEntry(text);
        }
        catch (JsonException) when (!whole)
        {
            Note = $"line {Line} is cut off and was left out";
            return null;
        }
        catch (JsonException exception)
        {
            throw new DecisionLogException(Line, Problem(exception), exception);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _reader.Dispose();

    // The parser sees one line at a time and calls it 0; the path and the position in the line stay.
    private static string Problem(JsonException exception) => exception.Message.Replace(" | LineNumber: 0", "", StringComparison.Ordinal);

    // ReadLine does not tell whether the last line had its end; without one it may be half a line.
    private void Advance()
    {
        var text = new System.Text.StringBuilder();
        int read;
        while ((read = _reader.Read()) is not (-1 or '\n'))
        {
            text.Append((char)read);
        }

        _nextIsWhole = read == '\n';
        _next = text.Length > 0 || _nextIsWhole ? text.ToString() : null;
    }
}
