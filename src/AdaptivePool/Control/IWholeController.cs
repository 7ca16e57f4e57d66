namespace AdaptivePool.Control;

/// <summary>A controller that may decide a class's size whole: from the first item on, at any size within the bounds, whether work waits or not.</summary>
internal interface IWholeController : IPoolController
{
    /// <summary>Whether it does; otherwise it goes on from a size that the pool has found, and stays near it.</summary>
    bool DecidesWhole { get; }

    /// <summary>Whether it looks at the peaks within a sample: of clients, and of waits.</summary>
    bool SeesPeaks => true;

    /// <summary>Whether a controller, however it is wrapped, looks at the peaks within a sample. Of a user's own nobody knows.</summary>
    /// <param name="controller">The controller.</param>
    static bool LooksAtPeaks(IPoolController? controller) => controller is not IWholeController { SeesPeaks: false };

    /// <summary>Whether a controller, however it is wrapped, decides whole.</summary>
    /// <param name="controller">The controller; <see langword="null"/> decides nothing.</param>
    static bool Is(IPoolController? controller) => controller is IWholeController { DecidesWhole: true };
}
