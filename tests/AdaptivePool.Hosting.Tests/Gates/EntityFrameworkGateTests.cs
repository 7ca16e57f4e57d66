using System.Data;
using AdaptivePool.Admission;
using AdaptivePool.EntityFrameworkCore;
using AdaptivePool.Hosting.Tests.Samples;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Storage;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates;

[Collection(PostgresServerCollection.Name)]
public sealed class EntityFrameworkGateTests(PostgresServer server)
{
    [PostgresFact]
    public async Task Transactions_OfAContext_HoldAPermitUntilTheyEnd()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var context = Create(database, gate);
        var facade = context.Database;

        await using (var transaction = await facade.BeginTransactionAsync())
        {
            gate.GetSnapshot().Held.ShouldBe(1);
            await transaction.CommitAsync();
            gate.GetSnapshot().Held.ShouldBe(0);
        }

        using (var transaction = facade.BeginTransaction())
        {
            gate.GetSnapshot().Held.ShouldBe(1);
            transaction.Rollback();
            gate.GetSnapshot().Held.ShouldBe(0);
        }

        using (facade.BeginTransaction())
        {
            gate.GetSnapshot().Held.ShouldBe(1);
        }

        gate.GetSnapshot().Held.ShouldBe(0, "disposed without commit");
        gate.GetSnapshot().Admitted.ShouldBe(3);
    }

    [PostgresFact]
    public async Task Transaction_FullGate_IsRefusedAndTheContextGoesOn()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var context = Create(database, gate);
        using (gate.AttemptAcquire())
        {
            Should.Throw<TransactionRefusedException>(() => context.Database.BeginTransaction()).Reason.ShouldBe(RefusalReason.QueueFull);
            (await Should.ThrowAsync<TransactionRefusedException>(() => context.Database.BeginTransactionAsync())).RetryAfter.ShouldNotBeNull();
        }

        await using var transaction = await context.Database.BeginTransactionAsync();
        gate.GetSnapshot().Held.ShouldBe(1);
    }

    [PostgresFact]
    public async Task Connection_KilledInsideATransaction_ThePermitComesBack()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using (var context = Create(database, gate))
        {
            await using var transaction = await context.Database.BeginTransactionAsync();

            // The driver tells the server of a transaction with its first statement.
            await context.Database.ExecuteSqlRawAsync("SELECT 1");
            await database.ExecuteAsync(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'");
            await Should.ThrowAsync<Exception>(() => context.Database.ExecuteSqlRawAsync("SELECT 1"));
        }

        gate.GetSnapshot().Held.ShouldBe(0);
    }

    [PostgresFact]
    public async Task Savepoint_Fails_TheTransactionKeepsItsPermit()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var context = Create(database, gate);
        await using var transaction = await context.Database.BeginTransactionAsync();
        await context.Database.ExecuteSqlRawAsync("SELECT 1");

        await Should.ThrowAsync<NpgsqlException>(() => transaction.RollbackToSavepointAsync("nowhere"));
        gate.GetSnapshot().Held.ShouldBe(1);
        Should.Throw<NpgsqlException>(() => transaction.RollbackToSavepoint("nowhere"));
        gate.GetSnapshot().Held.ShouldBe(1);

        await transaction.RollbackAsync();
        gate.GetSnapshot().Held.ShouldBe(0);
    }

    /// <summary>The server looks at a deferred constraint when it is asked to commit, and rolls back.</summary>
    [PostgresTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Commit_RefusedByTheServer_ThePermitGoesBackAsFailed(bool isAsync)
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 1, Adaptive = true, FlowsWithContext = false });
        await using var context = Create(database, gate);
        await context.Database.ExecuteSqlRawAsync("CREATE TABLE twice (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        await using var transaction = await context.Database.BeginTransactionAsync();
        await context.Database.ExecuteSqlRawAsync("INSERT INTO twice VALUES (1), (1)");

        if (isAsync)
        {
            await Should.ThrowAsync<PostgresException>(() => transaction.CommitAsync());
        }
        else
        {
            Should.Throw<PostgresException>(transaction.Commit);
        }

        await transaction.DisposeAsync();
        var end = gate.GetSnapshot();
        (end.Held, end.Adaptive!.Failed, end.Adaptive.Ended).ShouldBe((0, 1, 0));
    }

    [PostgresFact]
    public async Task Commit_CancelledBeforeItBegins_TheOpenTransactionKeepsItsPermit()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var context = Create(database, gate);
        await using var transaction = await context.Database.BeginTransactionAsync();
        await context.Database.ExecuteSqlRawAsync("SELECT 1");

        await Should.ThrowAsync<OperationCanceledException>(() => transaction.CommitAsync(new CancellationToken(canceled: true)));

        var open = ((NpgsqlTransaction)transaction.GetDbTransaction()).Connection is not null;
        gate.GetSnapshot().Held.ShouldBe(open ? 1 : 0);
        await transaction.DisposeAsync();
        gate.GetSnapshot().Held.ShouldBe(0);
    }

    [PostgresFact]
    public async Task Begin_ProviderThrows_ThePermitGoesBack()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var connection = await database.Source.OpenConnectionAsync();
        await using var context = Create(connection, gate);
        await using var own = await connection.BeginTransactionAsync();

        // A second one on the same connection.
        Should.Throw<InvalidOperationException>(() => context.Database.BeginTransaction());
        gate.GetSnapshot().Held.ShouldBe(0);
        await Should.ThrowAsync<InvalidOperationException>(() => context.Database.BeginTransactionAsync());
        gate.GetSnapshot().Held.ShouldBe(0);
        gate.GetSnapshot().Admitted.ShouldBe(2);
    }

    [PostgresFact]
    public async Task Connection_OfTheApplicationClosedInsideATransaction_ThePermitComesBack()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var connection = await database.Source.OpenConnectionAsync();
        await using var context = Create(connection, gate);
        await context.Database.BeginTransactionAsync();
        gate.GetSnapshot().Held.ShouldBe(1);

        await connection.CloseAsync();

        gate.GetSnapshot().Held.ShouldBe(0);
    }

    [PostgresFact]
    public async Task Connection_OfTheApplicationBreaksInsideATransaction_ThePermitComesBackBeforeAnybodyDisposes()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var connection = await database.Source.OpenConnectionAsync();
        await using var context = Create(connection, gate);
        await context.Database.BeginTransactionAsync();
        await context.Database.ExecuteSqlRawAsync("SELECT 1");

        await database.ExecuteAsync($"SELECT pg_terminate_backend({connection.ProcessID})");
        await Should.ThrowAsync<Exception>(() => context.Database.ExecuteSqlRawAsync("SELECT 1"));

        gate.GetSnapshot().Held.ShouldBe(0);
    }

    [PostgresFact]
    public async Task UseTransactionGate_ByName_FindsTheGateOfTheApplication()
    {
        await using var database = await server.CreateDatabaseAsync();
        var services = new ServiceCollection();
        services.AddTransactionGate("bank", static o => o.PermitLimit = 1);
        services.AddDbContext<DbContext>(options => options.UseNpgsql(database.ConnectionString).UseTransactionGate("bank"));
        await using var provider = services.BuildServiceProvider();
        await using var scope = provider.CreateAsyncScope();
        var context = scope.ServiceProvider.GetRequiredService<DbContext>();

        await using var transaction = await context.Database.BeginTransactionAsync();

        provider.GetRequiredKeyedService<TransactionGate>("bank").GetSnapshot().Held.ShouldBe(1);
    }

    [Fact]
    public void UseTransactionGate_UnknownNameOrNoServices_SaysSo()
    {
        Should.Throw<InvalidOperationException>(static () => new DbContextOptionsBuilder().UseTransactionGate("bank")).Message.ShouldContain("AddDbContext");
        using var provider = new ServiceCollection().BuildServiceProvider();
        Should.Throw<InvalidOperationException>(()
            => new DbContextOptionsBuilder().UseApplicationServiceProvider(provider).UseTransactionGate("bnak")).Message.ShouldContain("'bnak' does not exist");
    }

    /// <summary>The framework leaves its connection open for a transaction that did not begin; it stays so where it was open before.</summary>
    [PostgresTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Begin_RefusedOrCancelled_LeavesTheConnectionAsItWas(bool wasOpen)
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var context = Create(database, gate);
        var connection = context.Database.GetDbConnection();
        var before = wasOpen ? ConnectionState.Open : ConnectionState.Closed;
        if (wasOpen)
        {
            await context.Database.OpenConnectionAsync();
        }

        using (gate.AttemptAcquire())
        {
            Should.Throw<TransactionRefusedException>(() => context.Database.BeginTransaction());
            connection.State.ShouldBe(before);
            await Should.ThrowAsync<TransactionRefusedException>(() => context.Database.BeginTransactionAsync());
            connection.State.ShouldBe(before);
            await Should.ThrowAsync<OperationCanceledException>(() => context.Database.BeginTransactionAsync(new CancellationToken(canceled: true)));
            connection.State.ShouldBe(before);
        }

        await using (await context.Database.BeginTransactionAsync())
        {
        }

        (connection.State, gate.GetSnapshot().Held).ShouldBe((before, 0));
    }

    /// <summary>Each context has options of its own.</summary>
    [PostgresTheory]
    [InlineData("commit", false)]
    [InlineData("commit", true)]
    [InlineData("rollback", false)]
    [InlineData("rollback", true)]
    public async Task Transaction_SharedByTwoContextsAndEndedByTheOther_ThePermitComesBack(string end, bool isAsync)
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var connection = await database.Source.OpenConnectionAsync();
        await using var context = Create(connection, gate);
        await using var other = Create(connection, gate);
        await using var transaction = await context.Database.BeginTransactionAsync();
        await other.Database.UseTransactionAsync(transaction.GetDbTransaction());
        gate.GetSnapshot().Held.ShouldBe(1);
        await (isAsync ? end == "commit" ? other.Database.CommitTransactionAsync() : other.Database.RollbackTransactionAsync() : Task.Run(() =>
        {
            if (end == "commit")
            {
                other.Database.CommitTransaction();
            }
            else
            {
                other.Database.RollbackTransaction();
            }
        }));

        gate.GetSnapshot().Held.ShouldBe(0);
    }

    /// <summary>What it throws is what it throws without a gate.</summary>
    [PostgresTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Commit_OfADisposedContext_IsAsWithoutAGate(bool ownsConnection)
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        List<string> ends = [];
        foreach (var gated in new[] { false, true })
        {
            await using var connection = await database.Source.OpenConnectionAsync();
            var builder = new DbContextOptionsBuilder();
            builder = ownsConnection ? builder.UseNpgsql(database.ConnectionString) : builder.UseNpgsql(connection);
            var context = new DbContext((gated ? builder.UseTransactionGate(gate) : builder).Options);
            var transaction = await context.Database.BeginTransactionAsync();
            await context.Database.ExecuteSqlRawAsync("SELECT 1");
            await context.DisposeAsync();
            var failure = await Record.ExceptionAsync(() => transaction.CommitAsync());
            ends.Add($"{failure?.GetType().Name} {(failure as ObjectDisposedException)?.ObjectName}");
        }

        ends[1].ShouldBe(ends[0]);
        gate.GetSnapshot().Held.ShouldBe(0);
    }

    /// <summary>It would wait for the permit that the first one gets.</summary>
    [PostgresFact]
    public async Task Begin_BesideOneThatWaits_FailsAtOnce()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 1, FlowsWithContext = false });
        await using var context = Create(database, gate);
        await context.Database.OpenConnectionAsync();
        var held = gate.AttemptAcquire();
        var first = context.Database.BeginTransactionAsync();

        (await Should.ThrowAsync<InvalidOperationException>(() => context.Database.BeginTransactionAsync())).Message.ShouldContain("waits at gate");
        Should.Throw<InvalidOperationException>(() => context.Database.BeginTransaction());

        held.Dispose();
        await using var transaction = await first;
        await transaction.CommitAsync();
        gate.GetSnapshot().Held.ShouldBe(0);
    }

    [PostgresFact]
    public async Task Transactions_WithAStatementThatFails_HaveFailedUnlessTheyCommit()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 1, Adaptive = true, FlowsWithContext = false });
        await using var context = Create(database, gate);
        foreach (var end in new[] { "rollback", "dispose", "commit" })
        {
            await using var transaction = await context.Database.BeginTransactionAsync();
            await transaction.CreateSavepointAsync("before");
            await Should.ThrowAsync<PostgresException>(() => context.Database.ExecuteSqlRawAsync("SELECT 1 / 0"));
            Should.Throw<PostgresException>(() => context.Database.ExecuteSqlRaw("SELECT 1 / 0"));
            await transaction.RollbackToSavepointAsync("before");
            await (end == "rollback" ? transaction.RollbackAsync() : end == "commit" ? transaction.CommitAsync() : Task.CompletedTask);
        }

        var now = gate.GetSnapshot();
        (now.Held, now.Adaptive!.Failed, now.Adaptive.Ended).ShouldBe((0, 2, 1));
    }

    [PostgresFact]
    public async Task UseTransactionGate_CalledTwice_TakesOnePermitToTheEnd()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var context = new DbContext(
            new DbContextOptionsBuilder().UseNpgsql(database.ConnectionString).UseTransactionGate(gate).UseTransactionGate(gate).Options);

        await using (var transaction = await context.Database.BeginTransactionAsync())
        {
            (gate.GetSnapshot().Held, gate.GetSnapshot().Admitted).ShouldBe((1, 1));
            await transaction.CommitAsync();
        }

        gate.GetSnapshot().Held.ShouldBe(0);
    }

    private static TransactionGate CreateGate() => new(new TransactionGateOptions { PermitLimit = 1, QueueLimit = 0, FlowsWithContext = false });

    private static DbContext Create(NpgsqlConnection connection, TransactionGate gate) =>
        new(new DbContextOptionsBuilder().UseNpgsql(connection).UseTransactionGate(gate).Options);

    private static DbContext Create(PostgresDatabase database, TransactionGate gate) =>
        new(new DbContextOptionsBuilder().UseNpgsql(database.ConnectionString).UseTransactionGate(gate).Options);
}
