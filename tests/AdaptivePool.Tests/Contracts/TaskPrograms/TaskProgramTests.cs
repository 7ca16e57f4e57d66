using System.Collections.Concurrent;
using System.Globalization;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>
/// Programs of tasks that are made by chance see on a pool what they see on the runtime's: how each task ends, with which exceptions and tokens, what flows
/// into it, and which scheduler is current at each step. ADAPTIVEPOOL_TASK_PROGRAMS is the number of seeds of each test.
/// </summary>
[Collection(RuntimePoolCollection.Name)]
public sealed class TaskProgramTests : PoolTest
{
    private const int AtOnce = 6;

    // Enough for all steps that block at once.
    private const int ManyThreads = 400;

    // Threads that the runtime's pool starts without delay. It keeps them for a while, so no more than other tests of this collection are prepared for.
    private const int RuntimeThreads = 64;

    private static readonly ConcurrentDictionary<(string Steps, int Seed), string[]> s_expected = new();

    private static int Seeds => int.TryParse(Environment.GetEnvironmentVariable("ADAPTIVEPOOL_TASK_PROGRAMS"), CultureInfo.InvariantCulture, out int seeds)
        ? seeds : 12;

    public static TheoryData<string> Kinds =>
        ["pool", "class", "fixed", "weights", "bounded", "strict", "database", "without a context", "tickets", "after the end"];

    /// <summary>The control of the control: the scheduler that keeps the contract by definition cannot be told from the default one.</summary>
    [Fact]
    public void Programs_OnTheDefaultScheduler_AreThoseOfTheReference() => WithRuntimeThreads(() =>
    {
        for (int seed = 1; seed <= Seeds; seed++)
        {
            TaskProgram[] programs = Make(seed, TaskSteps.All, mayBlock: true);
            string[] seen = Run(seed, programs, HostOf(TaskScheduler.Default, TaskScheduler.Default), byRun: true);
            string[] expected = Expected("all", mayBlock: true, byRun: true, seed, programs);
            for (int i = 0; i < seen.Length; i++)
            {
                Unnamed(seen[i]).ShouldBe(Unnamed(expected[i]), $"seed {seed}: {programs[i]}");
            }
        }

        static string Unnamed(string text) => text.Replace("@own", "@any", StringComparison.Ordinal).Replace("@other", "@any", StringComparison.Ordinal)
            .Replace("@default", "@any", StringComparison.Ordinal);
    });

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Programs_OnAPool_SeeWhatTheySeeOnTheRuntimes(string kind) => WithRuntimeThreads(() =>
    {
        bool isClosed = kind == "after the end";
        TaskStep[] steps = isClosed ? TaskSteps.OfClosedPools : TaskSteps.All;
        Check(isClosed ? "of closed pools" : "all", steps, mayBlock: kind != "fixed", () => HostOf(kind), byRun: !isClosed);
    });

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Programs_ThatNeverBlockOnFewThreads_SeeWhatTheySeeOnTheRuntimes(int threads) => WithRuntimeThreads(() => Check(
        "all",
        TaskSteps.All,
        mayBlock: false,
        () => HostOf(CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = threads }).DefaultClass)));

    [Fact]
    public void Programs_WhosePoolIsDisposedMeanwhile_SeeWhatTheySeeOnTheRuntimes() => WithRuntimeThreads(() => Check(
        "of closed pools",
        TaskSteps.OfClosedPools,
        mayBlock: true,
        () => HostOf(CreatePool(new AdaptivePoolOptions { MaxThreads = ManyThreads }).DefaultClass),
        byRun: false,
        meanwhile: static host => Eventually.End(Task.Run(host.Target!.Pool.Dispose), "the pool must end")));

    [Fact]
    public void Programs_InAView_SeeWhatTheySeeInAPairOfTheRuntimes() => WithRuntimeThreads(() => Check(
        "one at a time",
        TaskSteps.OneAtATime,
        mayBlock: false,
        () =>
        {
            WorkClass owner = CreatePool().GetClass("ledger");
            return new TaskHost { Own = owner.AsSequential().Scheduler, Other = owner.Scheduler, Context = owner.SynchronizationContext, Target = owner };
        }));

    private TaskHost HostOf(string kind)
    {
        var options = new AdaptivePoolOptions { MaxThreads = ManyThreads };
        switch (kind)
        {
            case "fixed":
                options.Sizing = PoolSizing.Fixed(4);
                break;
            case "database":
                options.Preset = PoolPreset.DatabaseCompatible;
                break;
            case "tickets":
                options.HighPriorityTickets = 1;
                break;
            case "bounded":
                (options.MaxQueued, options.MaxQueueTime) = (100_000, TimeSpan.FromMinutes(10));
                break;
            case "strict":
                options.BlockingAction = BlockingAction.Warn;
                break;
        }

        AdaptiveThreadPool pool = CreatePool(options);
        WorkClass target = kind is "class" or "fixed" or "weights" ? pool.GetClass("mine") : pool.DefaultClass;
        if (kind == "weights")
        {
            target.Weight = 3;
            pool.GetClass("other").Weight = 1;
        }

        if (kind == "after the end")
        {
            pool.Dispose();
        }

        return HostOf(target, withoutContext: kind == "without a context");
    }

    private static TaskHost HostOf(WorkClass target, bool withoutContext = false) => new()
    {
        Own = withoutContext ? target.Scheduler.WithoutSynchronizationContext : target.Scheduler,
        Other = target.Pool.GetClass("other").Scheduler,
        Context = target.SynchronizationContext,
        Target = target,
        Gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 1_000 }),
    };

    private static TaskHost HostOf(TaskScheduler own, TaskScheduler other) => new() { Own = own, Other = other, Context = new ReferenceContext() };

    private static void Check(string name, TaskStep[] steps, bool mayBlock, Func<TaskHost> create, bool byRun = true, Action<TaskHost>? meanwhile = null)
    {
        for (int seed = 1; seed <= Seeds; seed++)
        {
            TaskProgram[] programs = Make(seed, steps, mayBlock);
            string[] expected = Expected(name, mayBlock, byRun, seed, programs);
            TaskHost host = create();
            string[] seen = Run(seed, programs, host, byRun, meanwhile);
            for (int i = 0; i < seen.Length; i++)
            {
                seen[i].ShouldBe(expected[i], $"seed {seed}: {programs[i]}");
            }

            host.Target!.Pool.Dispose();
            host.Gate?.Dispose();
            host.Target.Pool.GetSnapshot().Faulted.ShouldBe(0, $"seed {seed}");
        }
    }

    private static TaskProgram[] Make(int seed, TaskStep[] steps, bool mayBlock)
    {
        var random = new Random(seed);
        return [.. Enumerable.Range(0, AtOnce).Select(_ => TaskProgram.Make(random, steps, mayBlock))];
    }

    private static string[] Expected(string steps, bool mayBlock, bool byRun, int seed, TaskProgram[] programs) => s_expected.GetOrAdd(
        ($"{steps} {mayBlock} {byRun}", seed), _ => Run(seed, programs, HostOf(NewReference(steps), new ReferenceScheduler()), byRun));

    private static TaskScheduler NewReference(string steps) => steps == "one at a time"
        ? new ConcurrentExclusiveSchedulerPair(new ReferenceScheduler()).ExclusiveScheduler
        : new ReferenceScheduler();

    /// <summary>Runs all programs at once: as tasks of the scheduler, or every other one by Run.</summary>
    private static string[] Run(int seed, TaskProgram[] programs, TaskHost host, bool byRun, Action<TaskHost>? meanwhile = null)
    {
        Task<string>[] running = [.. programs.Select((program, i) => byRun && i % 2 != 0
            ? host.Run(program, () => program.TryRun(host))
            : Task.Factory.StartNew(() => program.TryRun(host), CancellationToken.None, TaskCreationOptions.None, host.Own).Unwrap())];
        meanwhile?.Invoke(host);
        var seen = new string[running.Length];
        for (int i = 0; i < seen.Length; i++)
        {
            ((IAsyncResult)running[i]).AsyncWaitHandle.WaitOne(Eventually.Patience).ShouldBeTrue($"program of seed {seed} must end: {programs[i]}; {host}");
            seen[i] = running[i].GetAwaiter().GetResult();
        }

        host.Faults.ShouldBeEmpty($"seed {seed}");
        return seen;
    }

    private static void WithRuntimeThreads(Action check)
    {
        ThreadPool.GetMinThreads(out int workers, out int ports);
        ThreadPool.SetMinThreads(Math.Max(workers, RuntimeThreads), ports);
        try
        {
            check();
        }
        finally
        {
            ThreadPool.SetMinThreads(workers, ports);
        }
    }
}
