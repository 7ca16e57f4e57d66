namespace AdaptivePool.Tests.ModelChecking;

/// <summary>How far an exhaustive exploration goes.</summary>
/// <param name="Preemptions">Times that a thread which could go on is stopped.</param>
/// <param name="Ages">Times that something else than the newest write is seen (or a sleep ends for no reason). 0 is sequential consistency.</param>
/// <param name="IsCoarse">See <see cref="IStrategy.IsCoarse"/>.</param>
internal sealed record Bounds(int Preemptions, int Ages, bool IsCoarse = false)
{
    /// <summary>For short programs.</summary>
    public static Bounds Default { get; } = new(Preemptions: 3, Ages: 2);

    /// <summary>For long ones.</summary>
    public static Bounds Long { get; } = new(Preemptions: 3, Ages: 1, IsCoarse: true);

    /// <summary>For programs that run workers as they are, from the start of their threads to the end.</summary>
    public static Bounds Whole { get; } = new(Preemptions: 1, Ages: 1, IsCoarse: true);

    /// <summary>For the widest of them: each read sees the newest write.</summary>
    public static Bounds Crowded { get; } = new(Preemptions: 1, Ages: 0, IsCoarse: true);

    /// <summary>For the longest.</summary>
    public static Bounds Longest { get; } = new(Preemptions: 2, Ages: 1, IsCoarse: true);
}
