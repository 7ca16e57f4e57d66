namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>What one endpoint did under load for a while.</summary>
/// <param name="Duration">How long requests were sent; the last answers come later.</param>
/// <param name="Answers">The right answers.</param>
/// <param name="Wrong">How many others there were.</param>
/// <param name="FirstWrong">What was wrong with the first of them.</param>
internal sealed record CellResult(TimeSpan Duration, IReadOnlyList<Answer> Answers, int Wrong, string? FirstWrong)
{
    /// <summary>When sending had ended and the last answer was there.</summary>
    public TimeSpan End => Answers.Select(a => a.At).Append(Duration).Max();

    /// <summary>Most threads of both pools during the cell.</summary>
    public int PeakThreads { get; init; }

    /// <summary>How long requests had waited that had no answer when the cell was ended; empty where all answers are waited for.</summary>
    public IReadOnlyList<TimeSpan> Unanswered { get; init; } = [];
}
