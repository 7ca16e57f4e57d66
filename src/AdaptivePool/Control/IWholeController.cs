namespace AdaptivePool.Control;

/// <summary>A controller that may make all decisions about a class's size: from the first item on, at any size within the bounds, whether work waits or
/// not.</summary>
internal interface IWholeController : IPoolController
{
    /// <summary>Whether it does so. Otherwise it continues from a size that the pool has found, and stays near it.</summary>
    bool DecidesWhole { get; }

    /// <summary>Whether it uses the peaks within a sample: of clients, and of waits.</summary>
    bool SeesPeaks => true;

    /// <summary>Whether a controller, however it is wrapped, uses the peaks within a sample. For a user's own controller this is not known, so it is
    /// true.</summary>
    /// <param name="controller">The controller.</param>
    static bool LooksAtPeaks(IPoolController? controller) => controller is not IWholeController { SeesPeaks: false };

    /// <summary>Whether a controller, however it is wrapped, makes all decisions.</summary>
    /// <param name="controller">The controller; <see langword="null"/> decides nothing.</param>
    static bool Is(IPoolController? controller) => controller is IWholeController { DecidesWhole: true };
}
