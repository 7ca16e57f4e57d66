namespace AdaptivePool;

/// <summary>How a pool decides how many threads each work class may use: see <see cref="AdaptivePoolOptions.Sizing"/>.</summary>
public sealed class PoolSizing
{
    private readonly string _name;

    private PoolSizing(string name, Func<IPoolController>? createController)
    {
        _name = name;
        CreateController = createController;
    }

    /// <summary>The pool finds the size of each class by measuring, with the options in <see cref="AdaptivePoolOptions.HillClimbing"/>.</summary>
    public static PoolSizing Adaptive { get; } = new(nameof(Adaptive), createController: null);

    internal Func<IPoolController>? CreateController { get; }

    /// <summary>The size that each class always has; <see langword="null"/> where it may change.</summary>
    internal int? FixedThreads { get; private init; }

    /// <summary>
    /// Each class always has the same size, and sizing is off. Work that items have started, such as code after an await and items that they queue to their own
    /// class or the default class, is in-flight work. It has a limit of its own, of the same size. An item in a wait that the pool sees leaves its place to
    /// another one; <see cref="AdaptivePoolOptions.MaxThreads"/> bounds all threads.
    /// </summary>
    /// <param name="threads">The size, in threads. 1 to 32,767; <see cref="AdaptivePoolOptions.MaxThreads"/> is an upper bound.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="threads"/> is less than 1.</exception>
    public static PoolSizing Fixed(int threads)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threads, 1);
        return new($"{nameof(Fixed)}({threads})", () => new FixedController(threads)) { FixedThreads = threads };
    }

    /// <summary>
    /// Your own controller searches for a better size of each class. As with the pool's own search, a class first grows to a size that it can use, and the pool
    /// lends it threads while none of its items completes. The controller then tries sizes within the bounds of its samples. If there is a server behind the
    /// class, the pool keeps these bounds close.
    /// </summary>
    /// <param name="createController">
    /// A function that creates the controller of a class. The pool calls it when the pool is created, and later on one of its threads.
    /// <see cref="AdaptiveThreadPool.Faulted"/> reports an exception from a later call, and the class keeps its size. A function that returns
    /// <see langword="null"/> is treated as one that throws an <see cref="InvalidOperationException"/>.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="createController"/> is null.</exception>
    public static PoolSizing Custom(Func<IPoolController> createController)
    {
        ArgumentNullException.ThrowIfNull(createController);
        return new(nameof(Custom), () => createController()
            ?? throw new InvalidOperationException($"The function given to {nameof(PoolSizing)}.{nameof(Custom)} returned null; allowed: a controller."));
    }

    /// <summary>The number of groups decides the size.</summary>
    /// <param name="option">Name of the option that asks for this.</param>
    /// <param name="threads">Threads of all groups together, at this moment.</param>
    internal static PoolSizing OfGroups(string option, Func<int> threads) => new(option, () => new GroupSizeController(option, threads));

    /// <summary>Returns the name of the choice, such as "Adaptive" or "Fixed(8)".</summary>
    public override string ToString() => _name;
}
