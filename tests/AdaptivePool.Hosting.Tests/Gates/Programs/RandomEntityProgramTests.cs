using System.Globalization;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Samples;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <summary>
/// An application that puts its contexts behind a gate sees nothing else: programs made by chance run on PostgreSQL, with a gate and without. What they see is
/// the same at each step, and so is what the framework tells its log and interceptors. The default run has fixed seeds; ADAPTIVEPOOL_ENTITY_PROGRAMS=N runs N
/// programs that nobody has seen before.
/// </summary>
[Collection(PostgresServerCollection.Name)]
public sealed class RandomEntityProgramTests(PostgresServer server)
{
    private const string Variable = "ADAPTIVEPOOL_ENTITY_PROGRAMS";
    private const int FirstSeed = 6;
    private const int Programs = 2;
    private const int Length = 60;
    private const int Flows = 3;

    public static TheoryData<string> Kinds => new() { "plain", "counted", "flowing", "two gates", "two gates, counted" };

    [PostgresTheory]
    [MemberData(nameof(Kinds))]
    public async Task Program_BehindAGate_SeesWhatItSeesWithoutOne(string kind)
    {
        await using PostgresDatabase database = await CreateAsync();
        foreach (int seed in Seeds(Programs))
        {
            EntityStep[] program = EntityProgram.Make(new Random(seed), Length);
            if (await FindDifferenceAsync(database, kind, program) is { } found)
            {
                program = await ShortenAsync(program, async shorter => await FindDifferenceAsync(database, kind, shorter) is not null);
                (await FindDifferenceAsync(database, kind, program) ?? found).ShouldBeNull($"seed {seed}");
            }
        }
    }

    /// <summary>Each has one context, and nothing that is open when that is disposed: nobody waits for a permit of a gate while it holds one.</summary>
    [PostgresTheory]
    [MemberData(nameof(Kinds))]
    public async Task Programs_TogetherBehindAFullGate_SeeWhatTheySeeAlone(string kind)
    {
        await using PostgresDatabase database = await CreateAsync();
        foreach (int seed in Seeds(Programs / 2))
        {
            var random = new Random(seed);
            EntityStep[][] programs = [.. Enumerable.Range(0, Flows).Select(_ => EntityProgram.Make(
                random, Length / 2, EntityAction.OpenGiven, EntityAction.UseTransaction, EntityAction.BeginGiven, EntityAction.Stream))];
            List<List<string>> expected = [];
            for (int flow = 0; flow < Flows; flow++)
            {
                expected.Add(await RunAsync(database, flow, [], kind, programs[flow], contexts: 1));
            }

            await database.ExecuteAsync(ProgramContext.Reset(Flows * EntityProgramBench.Owners));
            TransactionGate[] gates = Gates(kind, limit: 1 + (seed % 2), queueLimit: 100);
            Task<List<string>>[] running = [.. programs.Select(async (program, flow) =>
            {
                await using var bench = new EntityProgramBench(database.ConnectionString, flow, gates, Handling(kind));
                return await Task.Run(() => new EntityProgramRun(bench, contexts: 1) { IsAlone = false }.RunAsync(program));
            })];
            for (int flow = 0; flow < Flows; flow++)
            {
                Difference(expected[flow], await running[flow].WaitAsync(TestApp.Patience)).ShouldBeNull($"seed {seed}");
            }

            gates.ShouldAllBe(static gate => gate.GetSnapshot().Held == 0, $"seed {seed}");
            Array.ForEach(gates, static gate => gate.Dispose());
        }
    }

    private static IEnumerable<int> Seeds(int count) =>
        Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } more
            ? Enumerable.Range(0, int.Parse(more, CultureInfo.InvariantCulture)).Select(static _ => Random.Shared.Next())
            : Enumerable.Range(FirstSeed, count);

    private static AutoCommitHandling Handling(string kind) =>
        kind.EndsWith("counted", StringComparison.Ordinal) ? AutoCommitHandling.Count : AutoCommitHandling.Pass;

    private static bool Flow(string kind) => kind == "flowing";

    private static TransactionGate[] Gates(string kind, int limit, int queueLimit) =>
        [.. Enumerable.Range(0, kind.StartsWith("two", StringComparison.Ordinal) ? 2 : 1).Select(_ => new TransactionGate(new TransactionGateOptions
        {
            PermitLimit = limit,
            QueueLimit = queueLimit,
            FlowsWithContext = Flow(kind),
        }))];

    /// <summary>Where a program sees or does something else behind a gate, or leaves something.</summary>
    private static async Task<string?> FindDifferenceAsync(PostgresDatabase database, string kind, EntityStep[] program)
    {
        List<string> expected = await RunAsync(database, 0, [], kind, program, contexts: 2);
        TransactionGate[] free = Gates(kind, limit: 64, queueLimit: 0);
        int peak = 0;
        string? found = Difference(expected, await RunAsync(database, 0, free, kind, program, contexts: 2, it => peak = it));
        if (found is not null)
        {
            return found;
        }

        // As many permits as it needs: one that stays out too long is missed.
        TransactionGate[] full = Gates(kind, Math.Max(1, peak), queueLimit: 0);
        found = Difference(expected, await RunAsync(database, 0, full, kind, program, contexts: 2));
        return found is null ? null : "at a full gate: " + found;
    }

    private static async Task<List<string>> RunAsync(
        PostgresDatabase database, int flow, TransactionGate[] gates, string kind, EntityStep[] program, int contexts, Action<int>? peak = null)
    {
        await database.ExecuteAsync(ProgramContext.Reset(Flows * EntityProgramBench.Owners));
        List<string> notes;
        await using (var bench = new EntityProgramBench(database.ConnectionString, flow, gates, Handling(kind)) { Flows = Flow(kind) })
        {
            notes = await Task.Run(() => new EntityProgramRun(bench, contexts).RunAsync(program));
            peak?.Invoke(bench.Peak);
        }

        Array.ForEach(gates, static gate => gate.Dispose());
        notes.Add("the rows that are left " + await RowsAsync(database));
        return notes;
    }

    private static async Task<string> RowsAsync(PostgresDatabase database)
    {
        await using NpgsqlCommand command = database.Source.CreateCommand(
            "SELECT concat((SELECT string_agg(id || ':' || value, ' ' ORDER BY id) FROM rows), ' with ', "
            + "(SELECT string_agg(id || ':' || rowid, ' ' ORDER BY id) FROM parts))");
        return Convert.ToString(await command.ExecuteScalarAsync(), CultureInfo.InvariantCulture)!;
    }

    private static string? Difference(List<string> bare, List<string> gated)
    {
        int i = bare.Zip(gated).TakeWhile(static pair => pair.First == pair.Second).Count();
        return i == gated.Count ? null
            : $"""

            {string.Join('\n', bare.Take(i))}
            bare:  {bare[i]}
            gated: {gated[i]}
            """;
    }

    /// <summary>Leaves out steps while what is left still shows it.</summary>
    private static async Task<EntityStep[]> ShortenAsync(EntityStep[] program, Func<EntityStep[], Task<bool>> shows)
    {
        for (int size = program.Length / 2; size > 0; size = size > 1 ? size / 2 : 0)
        {
            for (int start = 0; start < program.Length;)
            {
                EntityStep[] shorter = [.. program[..start], .. program[Math.Min(start + size, program.Length)..]];
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

    private async Task<PostgresDatabase> CreateAsync()
    {
        PostgresDatabase database = await server.CreateDatabaseAsync();
        await database.ExecuteAsync(ProgramContext.Tables);
        return database;
    }
}
