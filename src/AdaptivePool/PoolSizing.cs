using AdaptivePool.Control;

namespace AdaptivePool;

/// <summary>Who decides how many threads each work class of a pool may use: see <see cref="AdaptivePoolOptions.Sizing"/>.</summary>
public sealed class PoolSizing
{
    private readonly string _name;

    private PoolSizing(string name, Func<IPoolController>? createController)
    {
        _name = name;
        CreateController = createController;
    }

    /// <summary>The pool finds the size of each class by measuring, as <see cref="AdaptivePoolOptions.HillClimbing"/> says.</summary>
    public static PoolSizing Adaptive { get; } = new(nameof(Adaptive), createController: null);

    internal Func<IPoolController>? CreateController { get; }

    /// <summary>The size that each class has for ever; <see langword="null"/> where it may change.</summary>
    internal int? FixedThreads { get; private init; }

    /// <summary>
    /// Each class has one size for ever: sizing is off. What items have begun, such as what follows an await and what they queue to their own class, is work in
    /// flight, which has a limit of its own that is found: <see cref="AdaptivePoolOptions.MaxThreads"/> bounds all threads.
    /// </summary>
    /// <param name="threads">The size, in threads. 1 to 32,767; <see cref="AdaptivePoolOptions.MaxThreads"/> bounds it.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="threads"/> is less than 1.</exception>
    public static PoolSizing Fixed(int threads)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threads, 1);
        return new($"{nameof(Fixed)}({threads})", () => new FixedController(threads)) { FixedThreads = threads };
    }

    /// <summary>
    /// A controller of your own looks for a better size of each class. As for the pool's own search, a class is first ramped to a size that it can use, and
    /// threads are lent while nothing completes; the controller then tries sizes within the bounds of its samples, which a server behind the class keeps close.
    /// </summary>
    /// <param name="createController">
    /// Creates the controller of a class. Called when the pool is created, and later on a thread of the pool. What it throws there is told by
    /// <see cref="AdaptiveThreadPool.Faulted"/>, and the class keeps its size. One that returns <see langword="null"/> counts as one that throws an
    /// <see cref="InvalidOperationException"/>.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="createController"/> is null.</exception>
    public static PoolSizing Custom(Func<IPoolController> createController)
    {
        ArgumentNullException.ThrowIfNull(createController);
        return new(nameof(Custom), () => createController()
            ?? throw new InvalidOperationException($"The function given to {nameof(PoolSizing)}.{nameof(Custom)} returned null; allowed: a controller."));
    }

    /// <summary>The number of groups says the size.</summary>
    /// <param name="threads">Threads of all groups together, at this moment.</param>
    internal static PoolSizing OfGroups(Func<int> threads) => new(GroupSizeController.Option, () => new GroupSizeController(threads));

    /// <summary>The name of the choice, such as "Adaptive" or "Fixed(8)".</summary>
    public override string ToString() => _name;
}
