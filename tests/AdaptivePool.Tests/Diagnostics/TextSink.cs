using AdaptivePool.Diagnostics;
using AdaptivePool.Simulation.Replay;

namespace AdaptivePool.Tests.Diagnostics;

/// <summary>A decision log in memory, line by line.</summary>
internal sealed class TextSink(DecisionLogHeader header)
{
    public List<string> Lines { get; } = [header.ToJson()];

    public string Text => string.Join('\n', Lines) + "\n";

    public void Write(DecisionLogEntry entry) => Lines.Add(entry.ToJson());

    public DecisionLogReader Read() => new(new StringReader(Text));
}
