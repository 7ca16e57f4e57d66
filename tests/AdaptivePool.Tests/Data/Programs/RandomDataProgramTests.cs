using System.Globalization;
using AdaptivePool.Admission;
using AdaptivePool.Data;

namespace AdaptivePool.Tests.Data.Programs;

/// <summary>
/// An application that puts a gated source in place of the bare one sees nothing else: programs made by chance run on a strict provider, bare and behind a
/// gate. What they see is the same at each step, and so are the calls of the provider but for those that open, close and reset. Where the document says that
/// a gate differs, the provider does the same. The default run has fixed seeds; ADAPTIVEPOOL_DATA_PROGRAMS=N runs N programs that nobody has seen before.
/// </summary>
public sealed class RandomDataProgramTests
{
    private const string Variable = "ADAPTIVEPOOL_DATA_PROGRAMS";
    private const int Programs = 30;
    private const int Length = 70;
    private const int Flows = 3;

    /// <summary>A kept connection may wait for a moment where the gate is full, so only some programs do that.</summary>
    private const int KeptAtAFullGate = 5;

    public static TheoryData<string> Kinds => new() { "plain", "flowing", "watched", "counted", "kept", "kept and tried", "kept and counted" };

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Program_BehindAGate_SeesWhatItSeesWithoutOne(string kind)
    {
        foreach (int seed in Seeds(Programs))
        {
            // The batch of a source that has none of its own cannot run.
            DataStep[] program = DataProgram.Make(new Random(seed), Length, DataAction.SourceBatch);
            if (await FindDifferenceAsync(seed, kind, program) is not null)
            {
                program = await ShortenAsync(program, async shorter => await FindDifferenceAsync(seed, kind, shorter) is not null);
                (await FindDifferenceAsync(seed, kind, program)).ShouldBeNull($"seed {seed}");
            }
        }
    }

    /// <summary>Each has one connection, so that nobody waits for a permit while it holds one.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Programs_TogetherBehindAFullGate_SeeWhatTheySeeAlone(string kind)
    {
        foreach (int seed in Seeds(Programs / 5))
        {
            var random = new Random(seed);
            DataStep[][] programs = [.. Enumerable.Range(0, Flows).Select(_ => Alone(DataProgram.Make(
                random, Length / 2, DataAction.SourceCommand, DataAction.SourceBatch, DataAction.Scope)))];
            using var gated = new DataProgramBench(seed, Gate(kind, 1 + (seed % 2)), Options(kind));
            Task<List<DataNote>>[] running = [.. programs.Select(program => Task.Run(() => gated.RunAsync(program, connections: 1)))];
            foreach ((DataStep[] program, Task<List<DataNote>> run) in programs.Zip(running))
            {
                using var bare = new DataProgramBench(seed);
                List<DataNote> expected = await bare.RunAsync(program, connections: 1);
                Difference(expected, Eventually.Result(run, $"the program of seed {seed} must end"), static _ => false).ShouldBeNull($"seed {seed}");
            }

            gated.FindLeft().ShouldBeEmpty($"seed {seed}");
        }
    }

    private static IEnumerable<int> Seeds(int count) =>
        Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } more
            ? Enumerable.Range(0, int.Parse(more, CultureInfo.InvariantCulture)).Select(static _ => Random.Shared.Next())
            : Enumerable.Range(1, count);

    /// <summary>Without statements that see what others write.</summary>
    private static DataStep[] Alone(DataStep[] program) =>
        [.. program.Where(static step => !DataProgram.Text(step.Choice).Contains("id FROM") && !DataProgram.Text(step.Choice + 1).Contains("id FROM"))];

    private static TransactionGateOptions Gate(string kind, int limit) => new()
    {
        PermitLimit = limit,
        FlowsWithContext = kind == "flowing",
        Adaptive = kind == "watched",
        AdaptiveMonitorOnly = kind == "watched",
    };

    private static GatedDataSourceOptions Options(string kind) => new()
    {
        AutoCommit = kind.EndsWith("counted", StringComparison.Ordinal) ? AutoCommitHandling.Count : AutoCommitHandling.Pass,
        KeepsConnections = IsKept(kind),
        ResetStatement = "RESET ALL",
        ValidateAfter = kind == "kept and tried" ? TimeSpan.Zero : TimeSpan.FromHours(1),
    };

    private static bool IsKept(string kind) => kind.StartsWith("kept", StringComparison.Ordinal);

    /// <summary>Where a program sees or does something else behind a gate, or leaves something.</summary>
    private static async Task<string?> FindDifferenceAsync(int seed, string kind, DataStep[] program)
    {
        using var bare = new DataProgramBench(seed);
        List<DataNote> expected = await bare.RunAsync(program);
        using var free = new DataProgramBench(seed, Gate(kind, 64), Options(kind));
        string? found = Difference(expected, await free.RunAsync(program), Compares) ?? Left(free, "at a gate with room");
        if (found is not null || (IsKept(kind) && seed % KeptAtAFullGate != 0))
        {
            return found;
        }

        // As many permits as it needs: one that stays out too long is missed.
        TransactionGateOptions full = Gate(kind, Math.Max(1, free.Peak));
        full.QueueLimit = 0;
        using var limited = new DataProgramBench(seed, full, Options(kind));
        found = Difference(expected, await limited.RunAsync(program), Compares);
        return found is null ? Left(limited, "at a full gate") : "at a full gate: " + found;

        bool Compares(string call) => call is not ("open" or "close" or "cancel" or "dispose" or "execute RESET ALL" or "execute SELECT pg_sleep(60)")
            && !(IsKept(kind) && call is "rollback" or "begin Unspecified");
    }

    private static string? Left(DataProgramBench bench, string where) => bench.FindLeft() is { Length: > 0 } left ? $"{where}: {left}" : null;

    private static string? Difference(List<DataNote> bare, List<DataNote> gated, Func<string, bool> compares)
    {
        int i = bare.Zip(gated).TakeWhile(pair => Line(pair.First) == Line(pair.Second)).Count();
        return i == bare.Count ? null
            : $"""

            {string.Join('\n', bare.Take(i).Select(Line))}
            step {i} {bare[i].Step}
            bare:  {Line(bare[i])}
            gated: {Line(gated[i])}
            """;

        string Line(DataNote note) => $"{note.Step} {note.Seen} ({string.Join(", ", note.Calls.Where(compares))})";
    }

    /// <summary>Leaves out steps while what is left still shows it.</summary>
    private static async Task<DataStep[]> ShortenAsync(DataStep[] program, Func<DataStep[], Task<bool>> shows)
    {
        for (int size = program.Length / 2; size > 0; size = size > 1 ? size / 2 : 0)
        {
            for (int start = 0; start < program.Length;)
            {
                DataStep[] shorter = [.. program[..start], .. program[Math.Min(start + size, program.Length)..]];
                if (await shows(shorter))
                {
                    program = shorter;
                }
                else
                {
                    start += size;
                }
            }
        }

        return program;
    }
}
