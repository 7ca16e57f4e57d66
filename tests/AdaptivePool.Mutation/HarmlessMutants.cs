namespace AdaptivePool.Mutation;

/// <summary>
/// Mutants that no test can kill, and why. Harmless.txt has the name of each on one line, as the report prints it, and its reason, indented, on the next.
/// </summary>
internal static class HarmlessMutants
{
    public static IReadOnlyDictionary<string, string> Read(string file)
    {
        Dictionary<string, string> reasons = new(StringComparer.Ordinal);
        string? key = null;
        foreach (string line in File.ReadLines(file).Where(static l => l.Length > 0 && l[0] != '#'))
        {
            if (!char.IsWhiteSpace(line[0]))
            {
                key = line.Trim();
            }
            else if (key is null || !reasons.TryAdd(key, line.Trim()))
            {
                throw new MutationException($"{Path.GetFileName(file)}: a reason without its mutant, or a second one: {line.Trim()}");
            }
        }

        return reasons;
    }
}
