using System.Diagnostics;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Runs programs under strategies, and makes what fails short and readable.</summary>
internal sealed class Checker : IDisposable
{
    /// <summary>Steps after which a run counts as one that does not end.</summary>
    private const int MaxSteps = 2_000;

    /// <summary>Replays that are spent on a shorter schedule.</summary>
    private const int MostTries = 2_000;

    /// <summary>More than the longest run allocates.</summary>
    private const long BytesPerRun = 128L << 20;

    /// <summary>Threads of a program at most.</summary>
    public const int MaxThreads = 6;

    private readonly VirtualThread[] _tinyWorkers = [.. Enumerable.Range(0, MaxThreads).Select(i => new VirtualThread(i))];

    /// <summary>No schedule is begun after so long.</summary>
    public TimeSpan Longest { get; init; } = TimeSpan.MaxValue;

    /// <summary>All schedules within the bounds, until one fails.</summary>
    public Exploration Exhaust(Func<ModelProgram> create, Bounds? bounds = null, Mutation? mutation = null, int atMost = int.MaxValue,
        Prophecies? prophecies = null) =>
        Explore(create, new DepthFirstStrategy(bounds ?? Bounds.Default), mutation, atMost, prophecies);

    /// <summary>What the loads of a program may foresee: the values that runs of it write.</summary>
    public Prophecies Learn(Func<ModelProgram> create)
    {
        var pupil = new Prophecies();
        var strategy = new RandomStrategy(seed: 3, runs: 100);
        var run = new Execution(_tinyWorkers, strategy, mutation: null, MaxSteps) { Pupil = pupil };
        do
        {
            RunOnce(run, create);
        }
        while (strategy.End(run.IsVoid));

        return pupil;
    }

    /// <summary>The schedules of a strategy, until one fails.</summary>
    public Exploration Explore(Func<ModelProgram> create, IStrategy strategy, Mutation? mutation = null, int atMost = int.MaxValue,
        Prophecies? prophecies = null)
    {
        HashSet<Site> sites = [];
        var run = new Execution(_tinyWorkers, strategy, mutation, MaxSteps) { Sites = sites, Prophecies = prophecies };
        int schedules = 0;
        bool more = true;
        long start = Stopwatch.GetTimestamp();
        while (more && schedules < atMost && Stopwatch.GetElapsedTime(start) < Longest)
        {
            RunOnce(run, create);
            if (!run.IsVoid && !run.IsImpossible)
            {
                schedules++;
                if (run.Failure is not null)
                {
                    return new Exploration(schedules, IsComplete: false,
                        Shorten(run.Schedule, (schedule, trace) => Replay(create, schedule, strategy.IsSequential, mutation, prophecies, trace)), sites);
                }
            }

            more = strategy.End(run.IsVoid);
        }

        return new Exploration(schedules, !more, Failure: null, sites);
    }

    /// <summary>Runs one schedule as printed with a failure.</summary>
    public Failure? Replay(Func<ModelProgram> create, string schedule, Mutation? mutation = null)
        => Replay(create, Schedule.Parse(schedule), isSequential: false, mutation, prophecies: null, trace: []);

    public void Dispose()
    {
        foreach (VirtualThread thread in _tinyWorkers)
        {
            thread.End();
        }
    }

    // A run that a garbage collection has made void is repeated without one: a long run may allocate more than lies between two collections, and would be void
    // each time.
    private static void RunOnce(Execution run, Func<ModelProgram> create)
    {
        bool isGuarded = run.IsVoid && TryHoldCollections();
        run.Run(create);
        if (isGuarded)
        {
            ReleaseCollections();
        }
    }

    private static bool TryHoldCollections()
    {
        try
        {
            return GC.TryStartNoGCRegion(BytesPerRun);
        }
        catch (InvalidOperationException)
        {
            // Another checker of this process holds them.
            return false;
        }
    }

    private static void ReleaseCollections()
    {
        try
        {
            GC.EndNoGCRegion();
        }
        catch (InvalidOperationException)
        {
            // More was allocated than was reserved, and the region has ended by itself; the run is void again.
        }
    }

    // Leaves out deviations as long as it still fails: halves first, then ever smaller parts. A run that does not end has many hundreds.
    private static Failure Shorten(Schedule schedule, Func<Schedule, List<string>?, Failure?> replay)
    {
        int tries = MostTries;
        int size = Math.Max(1, schedule.Deviations.Count / 2);
        bool isShorter = true;
        while (tries > 0 && (size > 1 || isShorter))
        {
            size = isShorter ? size : Math.Max(1, size / 2);
            isShorter = false;
            int index = 0;
            while (index < schedule.Deviations.Count && tries-- > 0)
            {
                if (replay(schedule.Without(index, size), null) is { } still)
                {
                    schedule = Schedule.Parse(still.Schedule);
                    isShorter = true;
                }
                else
                {
                    index += size;
                }
            }
        }

        return replay(schedule, [])
            ?? throw new InvalidOperationException(
                $"The schedule \"{schedule}\" failed once and not again: the program does not depend on the schedule alone.");
    }

    private Failure? Replay(Func<ModelProgram> create, Schedule schedule, bool isSequential, Mutation? mutation, Prophecies? prophecies, List<string>? trace)
    {
        var run = new Execution(_tinyWorkers, new ReplayStrategy(schedule, isSequential), mutation, MaxSteps) { Trace = trace, Prophecies = prophecies };
        do
        {
            RunOnce(run, create);
        }
        while (run.IsVoid);

        return run.Failure is { } failure ? new Failure(failure.Message, run.Schedule.ToString(), run.Trace ?? []) : null;
    }
}
