using System.Globalization;
using AdaptivePool.Mutation.Schemata;

namespace AdaptivePool.Mutation.Running;

/// <summary>Runs the tests that reach a mutant with the mutant on: first those that killed another of its file, then the cheapest.</summary>
internal sealed class MutantTrial(Workplace place, Coverage coverage, double budgetSeconds)
{
    private static readonly TimeSpan s_start = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_caseAtLeast = TimeSpan.FromSeconds(15);
    private const double CaseTimes = 6;
    private readonly Dictionary<(string Path, TestId Test), int> _kills = [];

    public Verdict Run(Mutant mutant)
    {
        TestId[] reaching = Order(mutant);
        if (reaching.Length == 0)
        {
            return new Verdict(VerdictKind.NotReached, 0, "");
        }

        TestId[] affordable = Affordable(reaching);
        int failures = 0;
        bool hasHung = false;
        int next = 0;
        int run = 0;
        while (next < affordable.Length)
        {
            int failed = RunUntilFailure(mutant, affordable, next, ref run, out bool isHung);
            if (failed < 0)
            {
                break;
            }

            // A test that failed once, or did not end, may have met a busy machine: it, or another, must fail as well, and pass at once without the mutant.
            hasHung |= isHung;
            if ((++failures > 1 || Repeats(mutant, affordable[failed], ref run, ref hasHung)) && PassesWithoutMutant(affordable[failed]))
            {
                lock (_kills)
                {
                    _kills[(mutant.Path, affordable[failed])] = _kills.GetValueOrDefault((mutant.Path, affordable[failed])) + 1;
                }

                return new Verdict(hasHung ? VerdictKind.Hung : VerdictKind.Killed, run, ShortNameOf(affordable[failed]));
            }

            next = failed + 1;
        }

        return new Verdict(affordable.Length < reaching.Length ? VerdictKind.AliveInBudget : VerdictKind.Alive, run, "");
    }

    private bool Repeats(Mutant mutant, TestId test, ref int run, ref bool hasHung)
    {
        bool fails = RunUntilFailure(mutant, [test], 0, ref run, out bool isHung) >= 0;
        hasHung |= isHung;
        return fails;
    }

    private bool PassesWithoutMutant(TestId test)
    {
        int run = 0;
        return RunUntilFailure(null, [test], 0, ref run, out _) < 0;
    }

    private static string ShortNameOf(TestId test) => test.Class.Split('.')[^1] + "." + test.Name.Split('.')[^1];

    /// <summary>The index of the first case that fails; -1 when none does.</summary>
    private int RunUntilFailure(Mutant? mutant, TestId[] tests, int from, ref int run, out bool isHung)
    {
        string file = Path.GetTempFileName();
        try
        {
            File.WriteAllLines(file, tests.Skip(from).Select(static t => t.ToString()));
            string id = mutant?.Id.ToString(CultureInfo.InvariantCulture) ?? "";
            using var host = new HostProcess(place, [HostProtocol.Run, file], (Guard.ActiveVariable, id));
            TimeSpan limit = s_start;
            int current = from;
            int runBefore = run;
            while (host.ReadLine(limit) is { } line)
            {
                if (line.StartsWith(HostProtocol.Start, StringComparison.Ordinal))
                {
                    var test = TestId.Parse(line[HostProtocol.Start.Length..]);
                    current = Math.Max(from, Array.IndexOf(tests, test));
                    limit = s_caseAtLeast + TimeSpan.FromSeconds(CaseTimes * coverage.Seconds(tests[current]));
                    run++;
                }
                else if (line.StartsWith(HostProtocol.Failed, StringComparison.Ordinal))
                {
                    isHung = false;
                    return current;
                }
                else if (line == HostProtocol.End)
                {
                    isHung = false;
                    return -1;
                }
            }

            // A process that ended without its last word died of the mutant.
            isHung = host.IsHung;
            return run > runBefore || isHung ? current : throw new MutationException("The host ended before its first test case.");
        }
        finally
        {
            File.Delete(file);
        }
    }

    private TestId[] Order(Mutant mutant)
    {
        lock (_kills)
        {
            return [.. coverage.Reaching(mutant.Id).OrderByDescending(t => _kills.GetValueOrDefault((mutant.Path, t))).ThenBy(coverage.Seconds)];
        }
    }

    private TestId[] Affordable(TestId[] tests)
    {
        double sum = 0;
        return [.. tests.TakeWhile((t, index) => (sum += coverage.Seconds(t)) <= budgetSeconds || index == 0)];
    }
}
