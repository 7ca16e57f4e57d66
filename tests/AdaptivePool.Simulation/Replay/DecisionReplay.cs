using AdaptivePool.Control;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Simulation.Replay;

/// <summary>Runs the controllers of a decision log again, from the same samples, and compares every decision.</summary>
internal static class DecisionReplay
{
    /// <summary>Replays a log with controllers built from its header.</summary>
    /// <param name="log">The log; read to its end.</param>
    /// <returns>One result per class, in the order of their first lines.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="log"/> is null.</exception>
    /// <exception cref="DecisionLogException">A line is damaged or missing, or the header does not say how to build the controllers.</exception>
    public static IReadOnlyList<DecisionReplayResult> Run(DecisionLogReader log)
    {
        ArgumentNullException.ThrowIfNull(log);
        if (log.Header.Controller != nameof(HillClimbingController) || log.Header.Options is not { } options)
        {
            throw new DecisionLogException(
                1, $"the controllers ({log.Header.Controller}) cannot be built from the log: only {nameof(HillClimbingController)} with its options can");
        }

        return Run(log, () => new HillClimbingController(options));
    }

    /// <summary>Replays a log with other controllers.</summary>
    /// <param name="log">The log; read to its end.</param>
    /// <param name="create">Creates a fresh controller.</param>
    /// <returns>One result per class, in the order of their first lines.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="DecisionLogException">A line is damaged or missing.</exception>
    public static IReadOnlyList<DecisionReplayResult> Run(DecisionLogReader log, Func<IPoolController> create)
    {
        ArgumentNullException.ThrowIfNull(log);
        ArgumentNullException.ThrowIfNull(create);
        Dictionary<string, IPoolController> controllers = new(StringComparer.Ordinal);
        Dictionary<string, DecisionReplayResult> results = new(StringComparer.Ordinal);
        List<string> order = [];
        while (log.Read() is { } entry)
        {
            if (entry.Kind == DecisionLogKind.Dropped)
            {
                throw new DecisionLogException(log.Line, $"{entry.Count} lines are missing from here on; what follows cannot be replayed");
            }

            if (!controllers.TryGetValue(entry.ClassName, out IPoolController? controller) || entry.Kind == DecisionLogKind.Start)
            {
                if (entry.Kind != DecisionLogKind.Start)
                {
                    throw new DecisionLogException(log.Line, $"class '{entry.ClassName}' has no start line");
                }

                controllers[entry.ClassName] = create();
                if (results.TryAdd(entry.ClassName, new(entry.ClassName)))
                {
                    order.Add(entry.ClassName);
                }
            }
            else if (entry.Kind == DecisionLogKind.Reinitialize)
            {
                controller.Reinitialize(entry.Target, entry.Reason);
            }
            else if (entry.Kind == DecisionLogKind.Doubt)
            {
                (controller as ISizeVerifier)?.Doubt();
            }
            else
            {
                results[entry.ClassName] = Compare(controller, results[entry.ClassName], entry, log.Line);
            }
        }

        return [.. order.Select(name => results[name])];
    }

    private static DecisionReplayResult Compare(IPoolController controller, DecisionReplayResult so, DecisionLogEntry expected, int line)
    {
        SizeDecision decision = controller.Update(expected.Sample!.Value);
        DecisionLogEntry got = DecisionLogEntry.OfStep(expected.At, expected.ClassName, expected.Sample.Value, decision);
        so = so with { Steps = so.Steps + 1 };
        if (got == expected)
        {
            return so with { Identical = so.Identical + 1 };
        }

        return so.Difference is null ? so with { Difference = new(so.Steps, line, expected, got) } : so;
    }
}
