using System.Diagnostics;

namespace AdaptivePool.Scenarios.Scenarios.Shares;

/// <summary>
/// Processes that compute behind everything else of the machine, as the threads of the elastic part do, and share nothing with this process: no collector, no
/// memory, no pool. What they cost others nobody can save who leaves the choice to the system.
/// </summary>
public sealed class IdleProcesses : IBackground
{
    private readonly Process[] _processes;

    /// <summary>Starts them.</summary>
    /// <param name="count">How many.</param>
    public IdleProcesses(int count) =>
        _processes =
            [.. Enumerable.Range(0, count).Select(static _ => Process.Start("chrt", ["--idle", "0", "nice", "-n", "19", "sh", "-c", "while :; do :; done"]))];

    /// <inheritdoc/>
    public long Used => (long)_processes.Sum(static p =>
    {
        p.Refresh();
        return p.TotalProcessorTime.TotalNanoseconds;
    });

    /// <inheritdoc/>
    public bool IsOfThisProcess => false;

    /// <summary>Ends them.</summary>
    public void Dispose()
    {
        foreach (Process process in _processes)
        {
            process.Kill();
            process.WaitForExit();
            process.Dispose();
        }
    }
}
