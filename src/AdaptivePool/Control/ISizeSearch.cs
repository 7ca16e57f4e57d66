namespace AdaptivePool.Control;

/// <summary>A way to look for the best size, behind a <see cref="HillClimbingController"/>. It is given valid samples only.</summary>
internal interface ISizeSearch
{
    /// <summary>What the search is doing.</summary>
    ControllerState State { get; }

    /// <summary>The size it stands by, in threads, whatever it is trying at the moment; zero before the first sample.</summary>
    int BaseSize { get; }

    /// <summary>Takes the sample of the interval that has just ended and says what to do next.</summary>
    /// <param name="sample">What was measured; possible in every number.</param>
    SizeDecision Update(in PoolSample sample);

    /// <summary>Forgets what was learned and starts again from a size that was decided elsewhere.</summary>
    /// <param name="target">The size now in force, in threads; one or more.</param>
    /// <param name="reason">Why it changed.</param>
    void Reinitialize(int target, DecisionReason reason);
}
