namespace AdaptivePool.Simulation.Cluster.Policies;

/// <summary>
/// Heuristic-DTPS of the founding document (F. Bahadur and others, 2018): turns; the pool follows the request rate until completions fall behind it, then goes
/// back to the last size at which they did not, and stays there.
/// </summary>
public sealed class HeuristicPolicy() : RoundRobinPolicy("heuristic-dtps")
{
    /// <summary>By how much completions may be behind. The document says nothing; 3 % is the noise of a second's count.</summary>
    private const double Tolerance = 0.03;

    // By backend and run: a process that was started again begins anew.
    private readonly Dictionary<(int Backend, int Life), int> _stable = [];
    private readonly HashSet<(int Backend, int Life)> _held = [];

    /// <inheritdoc/>
    public override void SizePool(ClusterBackend backend, long arrived, long completed)
    {
        ArgumentNullException.ThrowIfNull(backend);
        (int, int) run = (backend.Index, backend.Life);
        if (backend.Threads == 0 || _held.Contains(run))
        {
            return;
        }

        // The first second ends before the pool follows anything.
        if (completed < (1 - Tolerance) * arrived && _stable.TryGetValue(run, out int stable))
        {
            backend.Threads = stable;
            _held.Add(run);
            return;
        }

        if (completed >= (1 - Tolerance) * arrived)
        {
            _stable[run] = backend.Threads;
        }

        backend.Threads = Math.Max(backend.Machine.Cores, (int)arrived);
    }
}
