using System.Globalization;
using AdaptivePool.Mutation.Schemata;

namespace AdaptivePool.Mutation.Running;

/// <summary>Which test cases reach which mutants, and how long each takes: learnt from one run of all cases with every mutant off.</summary>
internal sealed class Coverage
{
    private static readonly TimeSpan s_longestSilence = TimeSpan.FromMinutes(5);
    private readonly Dictionary<int, List<TestId>> _reaching = [];
    private readonly Dictionary<TestId, double> _seconds = [];

    /// <summary>Cases that fail although nothing is mutated. They kill nothing.</summary>
    public List<TestId> Failing { get; } = [];

    public int Count => _seconds.Count;

    public double TotalSeconds => _seconds.Values.Sum();

    public double Seconds(TestId test) => _seconds[test];

    public IReadOnlyList<TestId> Reaching(int mutant) => _reaching.GetValueOrDefault(mutant) ?? [];

    /// <summary>Runs the cases, or reads what an earlier run of the same assemblies wrote.</summary>
    public static Coverage Learn(Workplace place, string file, int mutants, int processes, string[] filters)
    {
        if (!File.Exists(file))
        {
            string[][] parts = new string[processes][];
            var together = new ParallelOptions { MaxDegreeOfParallelism = processes };
            Parallel.For(0, processes, together, part => parts[part] = Record(place, part, processes, mutants, filters));
            File.WriteAllLines(file + ".new", parts.SelectMany(static p => p));
            File.Move(file + ".new", file);
        }

        var coverage = new Coverage();
        coverage.Read(File.ReadAllLines(file));
        return coverage;
    }

    private static string[] Record(Workplace place, int part, int parts, int mutants, string[] filters)
    {
        List<string> lines = [];
        string number = part.ToString(CultureInfo.InvariantCulture);
        string marks = Path.Combine(place.Folder, "marks-" + number);
        File.WriteAllBytes(marks, new byte[mutants]);
        string[] arguments = [HostProtocol.Record, number, parts.ToString(CultureInfo.InvariantCulture), .. filters];
        using var host = new HostProcess(place, arguments, (Guard.RecordVariable, marks));
        while (host.ReadLine(s_longestSilence) is { } line)
        {
            if (line == HostProtocol.End)
            {
                return [.. lines];
            }

            lines.Add(line);
        }

        string end = lines.LastOrDefault(static l => l.StartsWith(HostProtocol.Start, StringComparison.Ordinal)) ?? "its start";
        throw new MutationException($"The run that learns what tests reach ended at: {end}");
    }

    private void Read(string[] lines)
    {
        TestId? test = null;
        string hits = "";
        foreach (string line in lines)
        {
            if (line.StartsWith(HostProtocol.Start, StringComparison.Ordinal))
            {
                test = TestId.Parse(line[HostProtocol.Start.Length..]);
            }
            else if (line.StartsWith(HostProtocol.Hits, StringComparison.Ordinal))
            {
                hits = line[HostProtocol.Hits.Length..];
            }
            else if (line.StartsWith(HostProtocol.Failed, StringComparison.Ordinal) && test is not null)
            {
                Failing.Add(test);
            }
            else if (test is not null && _seconds.TryAdd(test, HostProcess.Seconds(line)))
            {
                foreach (int id in hits.Split(',', StringSplitOptions.RemoveEmptyEntries).Select(static h => int.Parse(h, CultureInfo.InvariantCulture)))
                {
                    if (!_reaching.TryGetValue(id, out List<TestId>? reaching))
                    {
                        _reaching.Add(id, reaching = []);
                    }

                    reaching.Add(test);
                }
            }
        }
    }
}
