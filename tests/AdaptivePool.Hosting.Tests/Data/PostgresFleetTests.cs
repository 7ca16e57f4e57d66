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
        first.Exchange(Line).ShouldBe([Line]);
        other.Exchange(Line).ShouldBe([Line]);
        far.Exchange(Line).ShouldBe([Line]);
        var changed = Line.Replace('1', '2');
        second.Exchange(changed).ShouldBe([Line, changed], ignoreOrder: true);
        first.Exchange(Line).ShouldBe([Line, changed], ignoreOrder: true);

        // Although the driver keeps the session.
        second.Dispose();
        first.Exchange(Line).ShouldBe([Line]);
    }

    /// <summary>By this name instances of two versions see each other while an application is upgraded. Another hash of the gate's name once made two fleets of
    /// one, each with the limit of all.</summary>
    [PostgresFact]
    public async Task Exchange_NameOfTheSession_IsWhatOtherVersionsLookFor()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var member = new PostgreSqlGateFleet(database.Source).Join("bank");
        member.Exchange(Line);
        await database.WaitForAsync($"pg_stat_activity WHERE application_name = 'apgate4381dc2:{Line}'", 1);
    }

    [PostgresFact]
    public async Task Exchange_SessionIsEnded_OpensAnother()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var member = new PostgreSqlGateFleet(database.Source).Join("bank");
        member.Exchange(Line);
        await database.ExecuteAsync("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'apgate%'");
        await database.WaitForAsync("pg_stat_activity WHERE application_name LIKE 'apgate%'", 0);
        Should.Throw<NpgsqlException>(() => member.Exchange(Line));
        member.Exchange(Line).ShouldBe([Line]);
    }

    [PostgresFact]
    public async Task Exchange_AUserWithoutRights_SeesTheOthers()
    {
        await using var database = await server.CreateDatabaseAsync();
        await database.ExecuteAsync("DROP ROLE IF EXISTS plain; CREATE ROLE plain LOGIN");
        await using var source = NpgsqlDataSource.Create(database.ConnectionString + ";Username=plain;Pooling=false");
        using var first = new PostgreSqlGateFleet(database.Source).Join("bank");
        using var plain = new PostgreSqlGateFleet(source).Join("bank");
        first.Exchange(Line);
        plain.Exchange(Line).Count.ShouldBe(2);
    }

    [PostgresFact]
    public async Task Exchange_LineWithOtherCharacters_IsRefused()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var member = new PostgreSqlGateFleet(database.Source).Join("'; DROP TABLE accounts; --");
        Should.Throw<ArgumentException>(() => member.Exchange("'; SELECT 1; --"));
        member.Exchange(Line).ShouldBe([Line]);
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

    private static async Task ServeUntilAsync(Func<bool> isThere, params TransactionGate[] gates)
    {
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(30));
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
