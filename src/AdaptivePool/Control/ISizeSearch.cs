namespace AdaptivePool.Control;

/// <summary>A way to look for the best size, behind a <see cref="HillClimbingController"/>. It gets valid samples only.</summary>
internal interface ISizeSearch : IPoolController, ISizeVerifier
{
    /// <summary>What the search is doing.</summary>
    ControllerState State { get; }

    /// <summary>The size that the search stands by, in threads, whatever it is trying at the moment; zero before the first sample.</summary>
    int BaseSize { get; }

    /// <summary>The size that the search has put in force, in threads; zero before the first sample.</summary>
    int InForce { get; }
}
