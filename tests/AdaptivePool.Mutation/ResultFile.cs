using System.Globalization;
using AdaptivePool.Mutation.Running;

namespace AdaptivePool.Mutation;

/// <summary>What became of the mutants of these assemblies, kept so that a run that was ended can go on.</summary>
internal sealed class ResultFile
{
    private readonly string _file;
    private readonly Dictionary<string, Verdict> _verdicts = new(StringComparer.Ordinal);

    public ResultFile(string file)
    {
        _file = file;
        foreach (string[] parts in (File.Exists(file) ? File.ReadAllLines(file) : []).Select(static l => l.Split('\t')).Where(static p => p.Length == 4))
        {
            _verdicts[parts[0]] = new Verdict(Enum.Parse<VerdictKind>(parts[1]), int.Parse(parts[2], CultureInfo.InvariantCulture), parts[3]);
        }
    }

    public Verdict? Of(Mutant mutant)
    {
        lock (_verdicts)
        {
            return _verdicts.GetValueOrDefault(mutant.Key);
        }
    }

    public void Add(Mutant mutant, Verdict verdict)
    {
        lock (_verdicts)
        {
            _verdicts[mutant.Key] = verdict;
            File.AppendAllText(_file, $"{mutant.Key}\t{verdict.Kind}\t{verdict.Tests}\t{verdict.Killer.Replace('\t', ' ')}\n");
        }
    }
}
