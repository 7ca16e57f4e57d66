using System.Globalization;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A run as a line of text: only what deviates from the default. "12>1 20&lt;2": before step 12 thread 1 goes on; at step 20 the write two before the
/// newest is seen.</summary>
internal sealed record Schedule(IReadOnlyList<Deviation> Deviations)
{
    public static Schedule Parse(string text)
    {
        List<Deviation> deviations = [];
        foreach (string word in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            int mark = word.IndexOfAny(['>', '<']);
            if (mark <= 0
                || !int.TryParse(word.AsSpan(0, mark), NumberStyles.None, CultureInfo.InvariantCulture, out int step)
                || !int.TryParse(word.AsSpan(mark + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int value))
            {
                throw new FormatException($"'{word}' is no step of a schedule: expected STEP>THREAD or STEP<AGE.");
            }

            deviations.Add(new Deviation(step, word[mark] == '>', value));
        }

        return new Schedule(deviations);
    }

    public Schedule Without(int index, int count) => new([.. Deviations.Where((_, i) => i < index || i >= index + count)]);

    public override string ToString() => string.Join(' ', Deviations);
}
