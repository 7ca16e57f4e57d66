using System.Numerics;

namespace AdaptivePool.Control;

/// <summary>
/// Notices that the workload has changed while one size is in force. Throughput alone does not show a change io -> cpu (200 threads: 10,000 -> 9,150 per
/// second). CPU per item and wall/CPU do not show it there either: only the split of wall time into blocked and runnable moves. Therefore four signals are
/// watched, each in logarithms and against its own noise.
/// </summary>
/// <remarks>
/// The samples must be of one size, settled and not short of demand; call <see cref="Reset"/> when the size changes. After an alarm the rule has forgotten
/// the levels and kept the noise. Each signal is whitened as a first order autoregression and summed with its sign (CUSUM, Page 1954), once for large and
/// once for small shifts. The state has a fixed size, and no memory is allocated.
/// </remarks>
internal sealed partial class WorkloadAlarmRule
{
    // Least noise of a signal that is believed, as ln: smaller changes are not worth a new search. CPU clocks are coarser than counts.
    private const double RateFloor = 0.03;
    private const double CpuFloor = 0.05;

    // Blocked and running are whole numbers of threads: at 2 running threads, one more is ln 3.5/2.5.
    private const double BlockedFloor = 0.4;

    // Throughput is the noisiest signal, and a false alarm of it costs a search. Its limits are therefore higher by this factor. At 1 twice as many runs of
    // `loss` break the bound. At 2.5 half as many do, but with noise of 30 % the rule notices too late that a database has become slower. CPU per item counts
    // the same items, so it has the same noise: at 1 classes that sleep lost four times as often by its false alarms (ADR 82).
    private const double ItemsReluctance = 1.75;

    // In the order of the signals' bits.
    private readonly Watch[] _watches = [new(ItemsReluctance), new(ItemsReluctance), new(1), new(1)];

    /// <summary>The signals that raised an alarm; several may do so in the same window.</summary>
    [Flags]
    internal enum Signals
    {
        /// <summary>No alarm.</summary>
        None = 0,

        /// <summary>Completions per second.</summary>
        Throughput = 1,

        /// <summary>CPU seconds of the workers per completion.</summary>
        CpuPerItem = 2,

        /// <summary>Thread seconds per CPU second.</summary>
        WallPerCpu = 4,

        /// <summary>Blocked threads per running thread. Runnable threads that wait for a core count as running.</summary>
        Blocked = 8,
    }

    /// <summary>Takes one window at the base size.</summary>
    /// <param name="sample">The window. A value that is NaN, zero or unknown is left out; a window without positive length says nothing.</param>
    /// <returns>The signals that fired.</returns>
    public Signals Observe(in PoolSample sample)
    {
        double seconds = sample.Elapsed.TotalSeconds;
        if (!(seconds > 0) || sample.Completions < 0)
        {
            return Signals.None;
        }

        double items = Math.Max(sample.Completions, 0.5);
        double cpu = sample.WorkerCpuSeconds > 0 ? sample.WorkerCpuSeconds : double.NaN;
        double wall = sample.Active > 0 ? sample.Active * seconds
            : sample.MeanServiceTime > TimeSpan.Zero ? sample.MeanServiceTime.TotalSeconds * items : double.NaN;

        // A sum over few items changes by whole items.
        double grain = 1 / items;
        double split = sample.Running + sample.Blocked > 0 ? Math.Log((sample.Blocked + 0.5) / (sample.Running + 0.5)) : double.NaN;
        Signals fired = Signals.None;
        Look(Signals.Throughput, Math.Log(items / seconds), RateFloor + grain, ref fired);
        Look(Signals.CpuPerItem, sample.Completions > 0 ? Math.Log(cpu / items) : double.NaN, CpuFloor + grain, ref fired);
        Look(Signals.WallPerCpu, Math.Log(wall / cpu), CpuFloor, ref fired);
        Look(Signals.Blocked, split, BlockedFloor, ref fired);
        if (fired != Signals.None)
        {
            Reset(keepNoise: true);
        }

        return fired;
    }

    /// <summary>Starts again because the size has changed, or because the workload is known to have changed.</summary>
    /// <param name="keepNoise">Whether the noise so far also applies from now on (the same workload at another size). A level is then learned in half the
    /// time and with fewer false alarms.</param>
    public void Reset(bool keepNoise)
    {
        foreach (Watch watch in _watches)
        {
            watch.Reset(keepNoise);
        }
    }

    private void Look(Signals signal, double value, double floor, ref Signals fired)
    {
        if (_watches[BitOperations.Log2((uint)signal)].Observe(value, floor))
        {
            fired |= signal;
        }
    }
}
