using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.EntityFrameworkCore;
using AdaptivePool.Hosting.Tests.Samples;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Storage;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates;

/// <summary>A gate beside other interceptors of a context, which may throw after the gate has begun the transaction.</summary>
[Collection(PostgresServerCollection.Name)]
public sealed class EntityFrameworkInterceptorTests(PostgresServer server)
{
    [PostgresTheory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task Begin_AnInterceptorBehindTheGateThrows_TheNextTransactionBegins(bool isAsync, bool wasOpen)
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        var refuses = new RefusingInterceptor();
        await using var context = new DbContext(
            new DbContextOptionsBuilder().UseNpgsql(database.ConnectionString).UseTransactionGate(gate).AddInterceptors(refuses).Options);
        if (wasOpen)
        {
            await context.Database.OpenConnectionAsync();
        }

        await Should.ThrowAsync<NotSupportedException>(() => BeginAsync(context, isAsync));
        refuses.IsOff = true;

        await using (var transaction = await BeginAsync(context, isAsync))
        {
            await context.Database.ExecuteSqlRawAsync("SELECT 1");
            gate.GetSnapshot().Held.ShouldBe(1);
            await transaction.CommitAsync();
        }

        gate.GetSnapshot().Held.ShouldBe(0);
        (await ConnectionsInsideATransactionAsync(database)).ShouldBe(0);
    }

    [PostgresTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Begin_TheSecondOfTwoGatesRefuses_TheFirstHasItsPermitBack(bool isAsync)
    {
        await using var database = await server.CreateDatabaseAsync();
        using var first = CreateGate();
        using var second = CreateGate();
        await using var context = new DbContext(
            new DbContextOptionsBuilder().UseNpgsql(database.ConnectionString).UseTransactionGate(first).UseTransactionGate(second).Options);

        // The connection stays open, so nothing but the refusal can give the permit back.
        await context.Database.OpenConnectionAsync();
        using (second.AttemptAcquire())
        {
            await Should.ThrowAsync<TransactionRefusedException>(() => BeginAsync(context, isAsync));
            first.GetSnapshot().Held.ShouldBe(0);
        }

        await using (var transaction = await BeginAsync(context, isAsync))
        {
            (first.GetSnapshot().Held, second.GetSnapshot().Held).ShouldBe((1, 1));
            await transaction.CommitAsync();
        }

        (first.GetSnapshot().Held, second.GetSnapshot().Held).ShouldBe((0, 0));
    }

    /// <summary>Its permit went back although it was open.</summary>
    [PostgresTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Begin_OnAConnectionWithAnotherContextsTransaction_LeavesThatOneOpen(bool isAsync)
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var connection = await database.Source.OpenConnectionAsync();
        await using var one = Create(connection, gate);
        await using var other = Create(connection, gate);
        await using var transaction = await one.Database.BeginTransactionAsync();

        await Should.ThrowAsync<InvalidOperationException>(() => BeginAsync(other, isAsync));

        await one.Database.ExecuteSqlRawAsync("SELECT 1");
        (gate.GetSnapshot().Held, await ConnectionsInsideATransactionAsync(database)).ShouldBe((1, 1L));
        await transaction.CommitAsync();
        gate.GetSnapshot().Held.ShouldBe(0);
    }

    [PostgresTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Begin_WhileAnotherContextsBeginWaitsInAnInterceptorBehindTheGate_LeavesThatOneItsTransaction(bool isAsync)
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var connection = await database.Source.OpenConnectionAsync();
        var waits = new WaitingInterceptor();
        await using var one = Create(connection, gate, waits);
        await using var other = Create(connection, gate);
        var begin = one.Database.BeginTransactionAsync();
        waits.HasBegun.ShouldBeTrue();

        (await Should.ThrowAsync<InvalidOperationException>(() => BeginAsync(other, isAsync))).Message.ShouldContain("already in progress");

        gate.GetSnapshot().Held.ShouldBe(1);
        waits.Goes.SetResult();
        await using (var transaction = await begin)
        {
            await one.Database.ExecuteSqlRawAsync("SELECT 1");
            (gate.GetSnapshot().Held, await ConnectionsInsideATransactionAsync(database)).ShouldBe((1, 1L));
            await transaction.CommitAsync();
        }

        gate.GetSnapshot().Held.ShouldBe(0);
    }

    [PostgresTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Begin_AnotherContextsTransactionIsLost_ThatContextBeginsAgainOrItIsRolledBack(bool isRolledBack)
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = CreateGate();
        await using var connection = await database.Source.OpenConnectionAsync();
        var refuses = new RefusingInterceptor();
        await using var one = Create(connection, gate, refuses);
        await using var other = Create(connection, gate);
        await Should.ThrowAsync<NotSupportedException>(() => one.Database.BeginTransactionAsync());
        refuses.IsOff = true;
        await Should.ThrowAsync<InvalidOperationException>(() => other.Database.BeginTransactionAsync());
        if (isRolledBack)
        {
            await one.Database.ExecuteSqlRawAsync("ROLLBACK");
        }

        await using (var transaction = await (isRolledBack ? other : one).Database.BeginTransactionAsync())
        {
            gate.GetSnapshot().Held.ShouldBe(1);
            await transaction.CommitAsync();
        }

        // The connection is open still, so only the commit can have given the permit back.
        gate.GetSnapshot().Held.ShouldBe(0);
    }

    private static TransactionGate CreateGate() => new(new TransactionGateOptions { PermitLimit = 1, QueueLimit = 0, FlowsWithContext = false });

    private static DbContext Create(NpgsqlConnection connection, TransactionGate gate, params IInterceptor[] behind) =>
        new(new DbContextOptionsBuilder().UseNpgsql(connection).UseTransactionGate(gate).AddInterceptors(behind).Options);

    private static async Task<IDbContextTransaction> BeginAsync(DbContext context, bool isAsync) =>
        isAsync ? await context.Database.BeginTransactionAsync() : context.Database.BeginTransaction();

    private static async Task<long> ConnectionsInsideATransactionAsync(PostgresDatabase database)
    {
        await using var command = database.Source.CreateCommand(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'");
        return (long)(await command.ExecuteScalarAsync())!;
    }

    private sealed class RefusingInterceptor : DbTransactionInterceptor
    {
        public bool IsOff { get; set; }

        public override InterceptionResult<DbTransaction> TransactionStarting(
            DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result) =>
            IsOff ? result : throw new NotSupportedException();

        public override ValueTask<InterceptionResult<DbTransaction>> TransactionStartingAsync(
            DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result,
            CancellationToken cancellationToken = default) =>
            IsOff ? ValueTask.FromResult(result) : throw new NotSupportedException();
    }

    private sealed class WaitingInterceptor : DbTransactionInterceptor
    {
        public TaskCompletionSource Goes { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public bool HasBegun { get; private set; }

        public override async ValueTask<InterceptionResult<DbTransaction>> TransactionStartingAsync(
            DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result,
            CancellationToken cancellationToken = default)
        {
            HasBegun = result.HasResult;
            await Goes.Task;
            return result;
        }
    }
}
