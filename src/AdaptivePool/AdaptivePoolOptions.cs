using AdaptivePool.Control;

namespace AdaptivePool;

/// <summary>Settings of an <see cref="AdaptiveThreadPool"/>. The pool keeps its own copy; later changes do not reach it. Bad values are refused when the pool is created.</summary>
public sealed class AdaptivePoolOptions
{
    /// <summary>Default of <see cref="MaxThreads"/>: that of the runtime's pool.</summary>
    public const int DefaultMaxThreads = 32_767;

    /// <summary>Name of the pool, in thread names, metrics and logs. Not empty. Default "default".</summary>
    public string Name { get; set; } = "default";

    /// <summary>
    /// Threads that stay alive when idle, and the lowest value of the pool's target. 1 to <see cref="MaxThreads"/>. Default: the number of processors, at most <see cref="MaxThreads"/>.
    /// A higher value keeps more threads ready after a quiet time; it does not make a work class start with more.
    /// </summary>
    public int? MinThreads { get; set; }

    /// <summary>
    /// Highest number of pool threads. 1 to 32,767. Default 32,767. A higher value lets more items block at once; threads of LongRunning tasks are not counted.
    /// With code that blocks on other items of the same pool (sync over async), a low value can leave nobody to run the work that is waited for.
    /// </summary>
    public int MaxThreads { get; set; } = DefaultMaxThreads;

    /// <summary>
    /// Threads that each work class may use before anything was measured. 1 to <see cref="MaxThreads"/>. Default: the number of processors, at most <see cref="MaxThreads"/>. A higher value helps work that
    /// blocks from its first item on and burdens a server behind it that does not bear so many; the pool then looks below it first.
    /// </summary>
    public int? InitialThreads { get; set; }

    /// <summary>How long threads must have been superfluous before they end, down to <see cref="MinThreads"/>. 100 ms to 24 h. Default 60 s. A higher value keeps threads longer after a burst.</summary>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long <see cref="AdaptiveThreadPool.DisposeAsync"/> waits for accepted work. Zero to 24 h, or <see cref="Timeout.InfiniteTimeSpan"/>. Default infinite: accepted work is
    /// always finished. What has not started when the time is over is handed to the runtime's pool, so that nothing accepted is lost.
    /// </summary>
    public TimeSpan DrainTimeout { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// Creates the controller of each work class once its size is verified. Default: <c>HillClimbingController</c> with <see cref="HillClimbing"/>. A <see cref="FixedController"/> switches sizing off:
    /// every class then has that controller's size as its limit.
    /// </summary>
    public Func<IPoolController>? ControllerFactory { get; set; }

    /// <summary>Options of the controllers made when <see cref="ControllerFactory"/> is <see langword="null"/>. Default <see langword="null"/>: their defaults. Each has a range of its own.</summary>
    public HillClimbingOptions? HillClimbing { get; set; }

    /// <summary>
    /// File in which the best sizes found are kept over restarts, one record per kind of work (<see cref="WorkloadProfile"/>). Not empty. Default <see langword="null"/>: they are remembered as long as the
    /// process lives. A remembered size is only tried, and kept if it brings what a size must bring. One pool per file. A file that is damaged, of an unknown version or cannot be read or written is reported
    /// once by <see cref="AdaptiveThreadPool.Warned"/> and otherwise ignored.
    /// </summary>
    public string? MemoryFile { get; set; }

    /// <summary>
    /// File to which every step of every controller is logged, one JSON object a line, so that it can be replayed. Not empty. Default <see langword="null"/>: no log. An existing file is replaced. A file that
    /// cannot be written is reported once by <see cref="AdaptiveThreadPool.Warned"/>. About 1 KB per step and class; steps are 30 ms to some seconds apart.
    /// </summary>
    public string? DecisionLogFile { get; set; }

    /// <summary>Most work classes that keep a limit of their own; further names share the default class. 1 to 10,000. Default 256.</summary>
    public int MaxClasses { get; set; } = 256;

    /// <summary>Stack size of pool threads in bytes. 0 (the default: what the system gives) or 128 KiB to 64 MiB. A higher value allows deeper recursion and costs address space per thread.</summary>
    public int StackSize { get; set; }

    internal int EffectiveMinThreads => MinThreads ?? Math.Min(Environment.ProcessorCount, MaxThreads);

    internal AdaptivePoolOptions Copy() => (AdaptivePoolOptions)MemberwiseClone();
}
