using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>A kind of load under which pools are compared. The parent process plans and prints; <see cref="RunChild"/> runs in a child process for one pool and
/// one round.</summary>
public abstract class Scenario
{
    /// <summary>Name on the command line.</summary>
    public abstract string Name { get; }

    /// <summary>What the scenario shows, in one line.</summary>
    public abstract string Description { get; }

    /// <summary>The cases, in the order in which they run.</summary>
    public abstract IReadOnlyList<ScenarioCase> Cases { get; }

    /// <summary>The metrics, in the order in which they are printed.</summary>
    public abstract IReadOnlyList<MetricInfo> Metrics { get; }

    /// <summary>The pools that run if the command line names none.</summary>
    public virtual IReadOnlyList<string> DefaultPools => ["runtime", "adaptive"];

    /// <summary>Command line options in addition to those of all scenarios.</summary>
    public virtual IReadOnlyList<ScenarioOption> Options => [];

    /// <summary>Whether rounds load the machine. False for a scenario that only computes: its results do not depend on other processes.</summary>
    public virtual bool LoadsMachine => true;

    /// <summary>A note about pools and metrics of this scenario, for <c>list</c>.</summary>
    public virtual string? PoolNote => null;

    /// <summary>The longest time that a child may take for one round. After that the parent ends it as hung.</summary>
    public virtual TimeSpan ChildTimeLimit => TimeSpan.FromMinutes(5);

    /// <summary>Starts what the whole run needs, such as a database server. The result is disposed when the run ends, even if it fails.</summary>
    public virtual Task<ScenarioEnvironment> PrepareAsync(IReadOnlyList<ScenarioCase> cases, Action<string> say, CancellationToken cancellationToken) =>
        Task.FromResult(new ScenarioEnvironment());

    /// <summary>Reads the options. It is called before all other methods.</summary>
    /// <exception cref="UsageException">A value is not valid.</exception>
    public virtual void Configure(RunOptions options)
    {
    }

    /// <summary>Refuses pools that the scenario cannot run on.</summary>
    /// <exception cref="UsageException">The scenario cannot run on this pool.</exception>
    public virtual void CheckPool(string pool) => ComparedPoolFactory.Check(pool);

    /// <summary>Measures one round from the parent process. By default a child process does all of it.</summary>
    public virtual Task<IReadOnlyList<MeasuredValue>> MeasureAsync(RoundContext round, CancellationToken cancellationToken) =>
        round.RunChildAsync(cancellationToken);

    /// <summary>Does the work of one round in the child process, on its main thread.</summary>
    public abstract void RunChild(ChildContext child);

    /// <summary>Adds metrics that compare pools or cases with each other.</summary>
    public virtual void Derive(ResultSet results)
    {
    }

    /// <summary>Prints the results.</summary>
    public virtual void Print(ResultSet results) => ResultTable.Print(this, results);
}
