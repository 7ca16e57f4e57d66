using System.Runtime.ExceptionServices;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Controllers;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Scenarios.Scenarios.Climb;

/// <summary>All runs of one pool on one curve: every start with every seed.</summary>
public sealed class ClimbBatch(CostCurve curve, string pool, ClimbOptions options)
{
    /// <summary>Runs them, as many at once as there are cores; the results are in the order of starts, then seeds, however they were computed.</summary>
    /// <param name="firstSeed">The first seed.</param>
    /// <param name="cancellationToken">Ends the batch early.</param>
    public IReadOnlyList<ClimbOutcome> Run(int firstSeed, CancellationToken cancellationToken)
    {
        (int Start, int Seed)[] jobs = [.. options.Starts.SelectMany(start => Enumerable.Range(firstSeed, options.Seeds).Select(seed => (start, seed)))];
        ClimbOutcome[] outcomes = new ClimbOutcome[jobs.Length];
        int next = -1;
        ExceptionDispatchInfo? failure = null;

        // Threads of their own: the runtime's climber asks its pool how busy it is, so that pool stays out of this.
        Thread[] threads = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => new Thread(Work) { IsBackground = true, Name = "climb" })];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());
        cancellationToken.ThrowIfCancellationRequested();
        failure?.Throw();
        return outcomes;

        void Work()
        {
            try
            {
                for (int i = Interlocked.Increment(ref next); i < jobs.Length && failure is null
                    && !cancellationToken.IsCancellationRequested; i = Interlocked.Increment(ref next))
                {
                    ClimbRun run = RunOne(jobs[i].Start, jobs[i].Seed);
                    outcomes[i] = new(jobs[i].Start, jobs[i].Seed, run.Points[^1].Delivered, ClimbMetrics.Of(run));
                }
            }
            catch (Exception exception)
            {
                failure = ExceptionDispatchInfo.Capture(exception);
            }
        }
    }

    /// <summary>One run.</summary>
    /// <param name="start">The size it begins with.</param>
    /// <param name="seed">Its seed.</param>
    public ClimbRun RunOne(int start, int seed)
        => Comparators.Run(pool, curve, options.Settings with { Seed = seed }, start, options.Seconds);
}
