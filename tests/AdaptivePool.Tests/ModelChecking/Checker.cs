namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Runs programs under strategies, and makes what fails short and readable.</summary>
internal sealed class Checker : IDisposable
{
    /// <summary>Steps after which a run counts as one that does not end.</summary>
    private const int MaxSteps = 2_000;

    private const int MaxThreads = 4;
    private readonly VirtualThread[] _crew = [.. Enumerable.Range(0, MaxThreads).Select(i => new VirtualThread(i))];

    /// <summary>All schedules within the bounds, until one fails.</summary>
    public Exploration Exhaust(Func<ModelProgram> create, Bounds? bounds = null, Mutation? mutation = null, int atMost = int.MaxValue) =>
        Explore(create, new DepthFirstStrategy(bounds ?? Bounds.Default), mutation, atMost);

    /// <summary>The schedules of a strategy, until one fails.</summary>
    public Exploration Explore(Func<ModelProgram> create, IStrategy strategy, Mutation? mutation = null, int atMost = int.MaxValue)
    {
        HashSet<Site> sites = [];
        var run = new Execution(_crew, strategy, mutation, MaxSteps) { Sites = sites };
        int schedules = 0;
        bool more = true;
        while (more && schedules < atMost)
        {
            run.Run(create);
            if (!run.IsVoid)
            {
                schedules++;
                if (run.Failure is not null)
                {
                    return new Exploration(schedules, IsComplete: false, Shorten(create, run.Schedule, mutation), sites);
                }
            }

            more = strategy.End(run.IsVoid);
        }

        return new Exploration(schedules, !more, Failure: null, sites);
    }

    /// <summary>Runs one schedule as printed with a failure.</summary>
    public Failure? Replay(Func<ModelProgram> create, string schedule, Mutation? mutation = null) => Replay(create, Schedule.Parse(schedule), mutation);

    public void Dispose()
    {
        foreach (VirtualThread thread in _crew)
        {
            thread.End();
        }
    }

    // Leaves out one deviation after another as long as it still fails.
    private Failure Shorten(Func<ModelProgram> create, Schedule schedule, Mutation? mutation)
    {
        Failure failure = Replay(create, schedule, mutation)
            ?? throw new InvalidOperationException($"The schedule \"{schedule}\" failed once and not again: the program does not depend on the schedule alone.");
        int index = 0;
        while (index < schedule.Deviations.Count)
        {
            Schedule shorter = schedule.Without(index);
            if (Replay(create, shorter, mutation) is { } still)
            {
                schedule = Schedule.Parse(still.Schedule);
                failure = still;
                index = 0;
            }
            else
            {
                index++;
            }
        }

        return failure;
    }

    private Failure? Replay(Func<ModelProgram> create, Schedule schedule, Mutation? mutation)
    {
        var run = new Execution(_crew, new ReplayStrategy(schedule), mutation, MaxSteps) { Trace = [] };
        do
        {
            run.Run(create);
        }
        while (run.IsVoid);

        return run.Failure is { } failure ? new Failure(failure.Message, run.Schedule.ToString(), run.Trace) : null;
    }
}
