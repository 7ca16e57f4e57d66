using System.Globalization;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Simulation.Replay;

/// <summary>A step that a replay decided differently.</summary>
/// <param name="Step">Number of the step within its class, from 1.</param>
/// <param name="Line">Line of the log.</param>
/// <param name="Expected">What the log says.</param>
/// <param name="Got">What the replay decided.</param>
internal sealed record DecisionReplayDifference(int Step, int Line, DecisionLogEntry Expected, DecisionLogEntry Got)
{
    /// <summary>Both decisions with all their terms.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"step {Step} (line {Line}): expected {Text(Expected)}, got {Text(Got)}");

    private static string Text(DecisionLogEntry entry) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{entry.Target} threads for {entry.NextInterval.TotalSeconds} s, {entry.Reason}{(entry.IsTrial ? " on trial" : "")}, {entry.Trace}");
}
