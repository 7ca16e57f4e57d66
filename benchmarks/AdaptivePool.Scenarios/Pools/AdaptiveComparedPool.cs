namespace AdaptivePool.Scenarios.Pools;

/// <summary>The pool of this project, with default options.</summary>
/// <param name="initialThreads">Threads that each class starts with; null: the default.</param>
/// <param name="idleTimeout">How long superfluous threads stay; null: the default.</param>
/// <param name="maxThreads">Most threads; null: the default.</param>
/// <param name="maxClasses">Most classes; null: the default.</param>
/// <param name="preset">Whose rules.</param>
/// <param name="size">Size of each class, for a pool that looks for none; null: it looks.</param>
public sealed class AdaptiveComparedPool(
    int? initialThreads = null, TimeSpan? idleTimeout = null, int? maxThreads = null, int? maxClasses = null, PoolPreset preset = PoolPreset.None,
    int? size = null)
    : ComparedPool
{
    /// <inheritdoc/>
    public override string Name => size is { } threads ? $"adaptive-fixed-{threads}" : initialThreads is { } first ? $"adaptive-from-{first}"
        : preset == PoolPreset.None ? "adaptive" : DatabaseName;

    /// <summary>Name of the pool with the rules of databases.</summary>
    public const string DatabaseName = "adaptive-database";

    /// <summary>The pool itself.</summary>
    public AdaptiveThreadPool Pool { get; } = new(CreateOptions(initialThreads, idleTimeout, maxThreads, maxClasses, preset, size));

    /// <summary>The limit of the default class that a measurement has kept.</summary>
    public int Verified => Pool.DefaultClass.GetSnapshot().Verified;

    /// <inheritdoc/>
    public override TaskFactory Factory => Pool.Factory;

    /// <inheritdoc/>
    public override void Queue(IThreadPoolWorkItem item, bool preferLocal) => Pool.UnsafeQueueUserWorkItem(item, preferLocal);

    /// <inheritdoc/>
    public override Task Run(Action action) => Pool.Run(action);

    /// <inheritdoc/>
    public override Task Run(Func<Task> function) => Pool.Run(function);

    /// <inheritdoc/>
    public override ComparedClass GetClass(string name)
    {
        WorkClass workClass = Pool.GetClass(name);
        return new(item => workClass.UnsafeQueueRootWork(item), function => workClass.Run(function));
    }

    /// <inheritdoc/>
    public override ComparedPool WithMaximum(int maxThreads, int maxClasses) =>
        new AdaptiveComparedPool(initialThreads, idleTimeout, maxThreads, maxClasses, preset, size);

    /// <inheritdoc/>
    public override (long All, long Useless)? Wakes
    {
        get
        {
            PoolSnapshot snapshot = Pool.GetSnapshot();
            return (snapshot.Wakes, snapshot.UselessWakes);
        }
    }

    /// <inheritdoc/>
    public override PoolReading Read()
    {
        PoolSnapshot snapshot = Pool.GetSnapshot();
        return new(snapshot.Existing, snapshot.Active, snapshot.Target, snapshot.PeakThreads);
    }

    private static AdaptivePoolOptions CreateOptions(
        int? initialThreads, TimeSpan? idleTimeout, int? maxThreads, int? maxClasses, PoolPreset preset, int? size)
    {
        // As many classes as may be, for the case that uses them.
        AdaptivePoolOptions options = new() { Name = "scenario", InitialThreads = initialThreads, MaxClasses = 10_000, Preset = preset };
        options.IdleTimeout = idleTimeout ?? options.IdleTimeout;
        options.MaxThreads = maxThreads ?? options.MaxThreads;
        options.MaxClasses = maxClasses ?? options.MaxClasses;
        options.Sizing = size is { } threads ? PoolSizing.Fixed(threads) : options.Sizing;
        return options;
    }
}
