namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Numbers are noted and dropped at one moment: none that is ready is lost, and nobody sleeps beside one.</summary>
internal static class ReadySetPrograms
{
    /// <summary>The words of two levels: numbers below 64 are in one word, those from 64 in the next.</summary>
    private const int TwoLevels = 128;

    public static NamedProgram[] All { get; } =
    [
        new("ready: work arrives while its number is dropped", DroppedAndNoted, Bounds.Default),
        new("ready: two arrive in one word", TwoInOneWord, Bounds.Default),
        new("ready: work arrives while one goes to sleep", static () => GoesToSleep(capacity: 2), Bounds.Default),
        new("ready: the same, two levels", static () => GoesToSleep(TwoLevels), Bounds.Long),
        new("ready: a word is emptied while a number arrives in it", WordEmptied, Bounds.Long),
        new("ready: a word is emptied beside one who sleeps", EmptiedBesideASleeper, Bounds.Longest),
        new("ready: two arrive in two words beside one who sleeps", TwoWords, Bounds.Longest),
    ];

    private static ModelProgram DroppedAndNoted()
    {
        var set = new ModelReadySet(2);
        set.Note(0);
        return new ModelProgram([() => set.Arrive(0), set.Look, set.Look], set.Require);
    }

    private static ModelProgram TwoInOneWord()
    {
        var set = new ModelReadySet(2);
        return new ModelProgram([() => set.Arrive(0), () => set.Arrive(1)], set.Require);
    }

    private static ModelProgram GoesToSleep(int capacity)
    {
        var set = new ModelReadySet(capacity);
        return new ModelProgram([() => set.Arrive(0), set.Sleep], set.Require);
    }

    private static ModelProgram WordEmptied()
    {
        var set = new ModelReadySet(TwoLevels);
        set.Note(0);
        return new ModelProgram([() => set.Arrive(1), set.Look], set.Require);
    }

    // Whoever empties the word has not yet said so above it, or has and not yet found what arrived: the one who sleeps may find nothing there.
    private static ModelProgram EmptiedBesideASleeper()
    {
        var set = new ModelReadySet(TwoLevels);
        set.Note(0);
        return new ModelProgram([() => set.Arrive(1), set.Look, set.Sleep], set.Require);
    }

    private static ModelProgram TwoWords()
    {
        var set = new ModelReadySet(TwoLevels);
        return new ModelProgram([() => set.Arrive(0), () => set.Arrive(64), set.Sleep], set.Require);
    }
}
