using System.Diagnostics;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Hosting.Tests.Samples;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Data;

/// <summary>Gates that see each other in the list of sessions of a real server.</summary>
[Collection(PostgresServerCollection.Name)]
public sealed class PostgresFleetTests(PostgresServer server)
{
    private const string Line = "00000000001:0000000000000000000000000000000000000";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    [PostgresFact]
    public async Task Exchange_TwoGatesOfAName_SeeEachOtherAndNoOthers()
    {
        await using var database = await server.CreateDatabaseAsync();
        await using var elsewhere = await server.CreateDatabaseAsync();
        var fleet = new PostgreSqlGateFleet(database.Source);
        using var first = fleet.Join("bank");
        using var other = fleet.Join("orders");
        using var far = new PostgreSqlGateFleet(elsewhere.Source).Join("bank");
        var second = fleet.Join("bank");
        await SeesAsync(first, database, Line, Line);
        await SeesAsync(other, database, Line, Line);
        await SeesAsync(far, elsewhere, Line, Line);
        var changed = Line.Replace('1', '2');
        await SeesAsync(second, database, changed, Line, changed);
        await SeesAsync(first, database, Line, Line, changed);

        // Although the driver keeps the session.
        second.Dispose();
        await SeesAsync(first, database, Line, Line);
    }

    /// <summary>By this name instances of two versions see each other while an application is upgraded. Another hash of the gate's name once made two fleets of
    /// one, each with the limit of all.</summary>
    [PostgresFact]
    public async Task Exchange_NameOfTheSession_IsWhatOtherVersionsLookFor()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var member = new PostgreSqlGateFleet(database.Source).Join("bank");
        await SeesAsync(member, database, Line, Line);
        await database.WaitForAsync($"pg_stat_activity WHERE application_name = 'apgate4381dc2:{Line}'", 1);
    }

    [PostgresFact]
    public async Task Exchange_SessionIsEnded_OpensAnother()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var member = new PostgreSqlGateFleet(database.Source).Join("bank");
        await SeesAsync(member, database, Line, Line);
        await database.ExecuteAsync("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'apgate%'");
        await database.WaitForAsync("pg_stat_activity WHERE application_name LIKE 'apgate%'", 0);
        Should.Throw<NpgsqlException>(() => member.Exchange(Line));
        await SeesAsync(member, database, Line, Line);
    }

    [PostgresFact]
    public async Task Exchange_AUserWithoutRights_SeesTheOthers()
    {
        await using var database = await server.CreateDatabaseAsync();
        await database.ExecuteAsync("DROP ROLE IF EXISTS plain; CREATE ROLE plain LOGIN");
        await using var source = NpgsqlDataSource.Create(database.ConnectionString + ";Username=plain;Pooling=false");
        using var first = new PostgreSqlGateFleet(database.Source).Join("bank");
        using var plain = new PostgreSqlGateFleet(source).Join("bank");
        await SeesAsync(first, database, Line, Line);
        await SeesAsync(plain, database, Line, Line, Line);
    }

    [PostgresFact]
    public async Task Exchange_LineWithOtherCharacters_IsRefused()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var member = new PostgreSqlGateFleet(database.Source).Join("'; DROP TABLE accounts; --");
        Should.Throw<ArgumentException>(() => member.Exchange("'; SELECT 1; --"));
        await SeesAsync(member, database, Line, Line);
        member.Dispose();
        member.Dispose();
        Should.Throw<ObjectDisposedException>(() => member.Exchange(Line));
    }

    [PostgresFact]
    public async Task Gates_Two_ShareTheLimit()
    {
        await using var database = await server.CreateDatabaseAsync();
        var fleet = new PostgreSqlGateFleet(database.Source);
        using var first = Gate();
        using (var second = Gate())
        {
            await ServeUntilAsync(() => Instances(first) == 2 && Instances(second) == 2, first, second);
        }

        await ServeUntilAsync(() => Instances(first) == 1, first);

        TransactionGate Gate() => new(new TransactionGateOptions { Name = "bank", Adaptive = true, Fleet = fleet });
    }

    [PostgresFact]
    public async Task Create_BehindAGate_IsRefused()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 1 });
        await using var gated = new GatedDataSource(database.Source, gate);
        Should.Throw<ArgumentException>(() => new PostgreSqlGateFleet(gated)).ParamName.ShouldBe("source");
    }

    private static int? Instances(TransactionGate gate) => gate.GetSnapshot().Adaptive?.Fleet?.Instances;

    /// <summary>Waits until a gate sees what is expected. The server of a busy machine may not answer within the two seconds of a look. A gate then looks again
    /// with another session, and so does this; the driver must not keep the one that was given up, whose name would go on showing the gate.</summary>
    private static async Task SeesAsync(IGateFleetMember member, PostgresDatabase database, string line, params string[] expected)
    {
        IReadOnlyList<string>? seen = null;
        for (long begin = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(begin) < s_patience; await Task.Delay(10))
        {
            try
            {
                seen = member.Exchange(line);
                if (seen.Order().SequenceEqual(expected.Order()))
                {
                    return;
                }
            }
            catch (NpgsqlException exception) when (exception.InnerException is TimeoutException)
            {
                database.ForgetConnections();
            }
        }

        seen.ShouldBe(expected, ignoreOrder: true);
    }

    private static async Task ServeUntilAsync(Func<bool> isThere, params TransactionGate[] gates)
    {
        using var patience = new CancellationTokenSource(s_patience);
        while (!isThere())
        {
            foreach (var gate in gates)
            {
                (await gate.AcquireAsync(cancellationToken: patience.Token)).Dispose();
            }

            await Task.Delay(10, patience.Token);
        }
    }
}
