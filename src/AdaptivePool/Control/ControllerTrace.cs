namespace AdaptivePool.Control;

/// <summary>One entry of the decision log: a size that was written, and the values behind it.</summary>
public sealed record ControllerTrace
{
    /// <summary>The time of the decision since the pool was created; zero inside a controller that runs on virtual time.</summary>
    public TimeSpan At { get; init; }

    /// <summary>The work class whose limit was decided; empty for the pool as a whole.</summary>
    public string ClassName { get; init; } = "";

    /// <summary>The size before, in threads.</summary>
    public int From { get; init; }

    /// <summary>
    /// The size after, in threads. The limit in force (<see cref="WorkClassSnapshot.Limit"/>) may be lower: while classes want more threads than the pool may
    /// have, they share them, and those shares follow their work without a further decision.
    /// </summary>
    public int To { get; init; }

    /// <summary>The reason for the decision.</summary>
    public DecisionReason Reason { get; init; }

    /// <summary>The state of the controller in words.</summary>
    public string State { get; init; } = "";

    /// <summary>The completions per second in the interval behind the decision.</summary>
    public double ThroughputPerSecond { get; init; }

    /// <summary>The real part of the harmonic ratio of throughput to size, or the logarithm of a measured gain; NaN if no comparison was made.</summary>
    public double Gain { get; init; } = double.NaN;

    /// <summary>The noise of <see cref="Gain"/>; NaN if it is not known.</summary>
    public double Noise { get; init; } = double.NaN;

    /// <summary>
    /// How clearly <see cref="Gain"/> exceeds <see cref="Noise"/>, 0 to 1; one if it is three times the noise or more. NaN if it is not known.
    /// </summary>
    public double Confidence { get; init; } = double.NaN;

    /// <summary>
    /// The sum of the real parts since the wave began, including the one behind this decision. A jump is due when the sum passes the threshold. NaN if nothing
    /// is summed.
    /// </summary>
    public double Progress { get; init; } = double.NaN;

    /// <summary>The CPU use of the process divided by the sum of this use and the idle CPU; NaN if it is not known.</summary>
    public double Utilisation { get; init; } = double.NaN;
}
