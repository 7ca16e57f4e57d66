namespace AdaptivePool.Control;

/// <summary>One entry of the decision log: a size that was written, and the terms behind it.</summary>
public sealed record ControllerTrace
{
    /// <summary>Time of the decision since the pool was created; zero inside a controller that runs on virtual time.</summary>
    public TimeSpan At { get; init; }

    /// <summary>The work class whose limit was decided; empty for the pool as a whole.</summary>
    public string ClassName { get; init; } = "";

    /// <summary>Size before, in threads.</summary>
    public int From { get; init; }

    /// <summary>Size after, in threads.</summary>
    public int To { get; init; }

    /// <summary>Why.</summary>
    public DecisionReason Reason { get; init; }

    /// <summary>State of the controller in words.</summary>
    public string State { get; init; } = "";

    /// <summary>Completions per second of the interval behind the decision.</summary>
    public double ThroughputPerSecond { get; init; }

    /// <summary>Real part of the harmonic ratio of throughput to size, or the logarithm of a measured gain; NaN when no comparison was made.</summary>
    public double Gain { get; init; } = double.NaN;

    /// <summary>Noise of <see cref="Gain"/>; NaN when not known.</summary>
    public double Noise { get; init; } = double.NaN;

    /// <summary>How far <see cref="Gain"/> stands out of <see cref="Noise"/>, 0 to 1; one when it is three times the noise or more. NaN when not
    /// known.</summary>
    public double Confidence { get; init; } = double.NaN;

    /// <summary>Sum of the real parts since the wave began, the one behind this decision included; a jump is due when it passes the threshold. NaN when nothing
    /// is summed.</summary>
    public double Progress { get; init; } = double.NaN;

    /// <summary>Own CPU use over own plus idle CPU; NaN when not known.</summary>
    public double Utilisation { get; init; } = double.NaN;
}
