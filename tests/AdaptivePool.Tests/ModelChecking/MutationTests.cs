using System.Reflection;
using AdaptivePool.Dispatch;
using AdaptivePool.Tests.ModelChecking.Models;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>
/// Each fence, wake, acquire, release and atomic update of the converted types is made weaker, one at a time: a program of the suite must fail.
/// </summary>
public sealed class MutationTests(ITestOutputHelper output) : IDisposable
{
    /// <summary>Schedules of a program against one mutant.</summary>
    private const int AtMost = 1_200;

    /// <summary>The programs of the sleep protocol run whole workers; what those do besides belongs to <see cref="WholeMutationTests"/>.</summary>
    private static readonly HashSet<string> s_sleepProtocol =
    [
        .. new[] { typeof(WakeProtocol<>), typeof(IdleStack<>), typeof(IdleWorkers<>), typeof(Sleeper<>), typeof(WordParking<>), typeof(ClassLimit<>) }
            .SelectMany(static t => t.GetMembers(BindingFlags.DeclaredOnly | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
            .Select(static m => m.Name),
    ];

    private readonly Checker _checker = new();

    public void Dispose() => _checker.Dispose();

    [Fact]
    public void Mutants_Each_IsKilledOrKnownToBeHarmless()
    {
        int killed = 0;
        List<string> alive = [];
        foreach ((Mutation mutation, List<NamedProgram> programs) in Mutants())
        {
            // What lives without any order lives without the fence.
            string name = $"{Family(programs[0])}: {mutation.Site.Member} {mutation.Site.Kind} ";
            if (mutation.Weakening == Weakening.NoFence && alive.Contains(name + nameof(Weakening.Unordered)))
            {
                continue;
            }

            name += mutation.Weakening;
            if (Killer(mutation, programs) is { } killer)
            {
                killed++;
                output.WriteLine($"killed {name} (line {mutation.Site.Line}) by {killer}");
            }
            else
            {
                alive.Add(name);
                output.WriteLine($"ALIVE  {name} (line {mutation.Site.Line}): {HarmlessMutants.Reasons.GetValueOrDefault(name, "nobody knows why")}");
            }
        }

        // The build prints this line.
        output.WriteLine($"mutants: {killed} of {killed + alive.Count} killed");
        alive.Distinct().ShouldBe(HarmlessMutants.Reasons.Keys, ignoreOrder: true);
    }

    // The programs of the type itself; then those that use it.
    private string? Killer(Mutation mutation, List<NamedProgram> programs)
    {
        Bounds shallow = new(Preemptions: 1, Ages: 1, IsCoarse: true);
        Bounds deep = new(Preemptions: 2, Ages: 1, IsCoarse: true);
        string own = Family(programs[0]);
        foreach (NamedProgram program in programs)
        {
            Failure? failure = _checker.Explore(program.Create, new RandomStrategy(seed: 11, runs: 100), mutation).Failure
                ?? _checker.Exhaust(program.Create, Family(program) == own ? deep : shallow, mutation, AtMost).Failure;
            if (failure is not null)
            {
                return $"{program}: {failure.Message} \"{failure.Schedule}\"";
            }
        }

        // Of whole workers it is not asked: only queues, idle stack and parking claim to hold there.
        return own == "wake" ? null : ForeseeingKiller(mutation, [.. programs.Where(p => Family(p) == own)]);
    }

    // Where only a store before an earlier load does harm.
    private string? ForeseeingKiller(Mutation mutation, List<NamedProgram> programs)
    {
        Bounds bounds = new(Preemptions: 2, Ages: 1, IsCoarse: true);
        foreach (NamedProgram program in programs)
        {
            if (_checker.Exhaust(program.Create, bounds, mutation, 4 * AtMost, _checker.Learn(program.Create)).Failure is { } failure)
            {
                return $"{program} (foreseeing): {failure.Message} \"{failure.Schedule}\"";
            }
        }

        return null;
    }

    /// <summary>All mutations of call sites in src that the suite meets, with the programs that meet them.</summary>
    private List<(Mutation Mutation, List<NamedProgram> Programs)> Mutants()
    {
        Dictionary<Site, List<NamedProgram>> met = [];
        foreach (NamedProgram program in Suite.Programs)
        {
            foreach (Site site in _checker.Explore(program.Create, new RandomStrategy(seed: 5, runs: 60)).Sites.Where(s => s.Member.Length > 0
                && (Family(program) != "wake" || s_sleepProtocol.Contains(s.Member))))
            {
                if (!met.TryGetValue(site, out List<NamedProgram>? programs))
                {
                    met.Add(site, programs = []);
                }

                programs.Add(program);
            }
        }

        return [.. met.SelectMany(m => Mutation.Of(m.Key).Select(mutation => (mutation, m.Value))).OrderBy(m => Family(m.Value[0]), StringComparer.Ordinal)
            .ThenBy(m => m.mutation.Site.Line)];
    }

    private static string Family(NamedProgram program) => program.Name.Split(':')[0];
}
