using System.Transactions;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.EntityFrameworkCore;
using AdaptivePool.Hosting.Tests.Samples;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates;

/// <summary>Statements for which the framework begins no transaction: SaveChanges of one row among them, which never entered the gate.</summary>
[Collection(PostgresServerCollection.Name)]
public sealed class EntityFrameworkStatementTests(PostgresServer server)
{
    private static readonly (string Name, long Admitted, long Counting, Func<Rows, Task> Run)[] s_uses =
    [
        ("SaveChanges of one inserted row", 1, 1, static rows => SaveAsync(rows, isAsync: false, 1)),
        ("SaveChangesAsync of one inserted row", 1, 1, static rows => SaveAsync(rows, isAsync: true, 1)),
        ("SaveChangesAsync of two rows", 1, 1, static rows => SaveAsync(rows, isAsync: true, 2)),
        ("SaveChangesAsync of nothing", 0, 0, static rows => rows.SaveChangesAsync()),
        ("SaveChangesAsync of one changed row", 1, 2, static async rows =>
        {
            (await rows.All.FirstAsync()).Value++;
            await rows.SaveChangesAsync();
        }),
        ("SaveChangesAsync of one row, always with a transaction", 1, 1, static rows =>
        {
            rows.Database.AutoTransactionBehavior = AutoTransactionBehavior.Always;
            return SaveAsync(rows, isAsync: true, 1);
        }),
        ("SaveChangesAsync of two rows, never with a transaction", 1, 1, static rows =>
        {
            rows.Database.AutoTransactionBehavior = AutoTransactionBehavior.Never;
            return SaveAsync(rows, isAsync: true, 2);
        }),
        ("ExecuteUpdateAsync", 1, 1, static rows => rows.All.ExecuteUpdateAsync(static set => set.SetProperty(static row => row.Value, 7))),
        ("ExecuteUpdate", 1, 1, static rows => Task.FromResult(rows.All.ExecuteUpdate(static set => set.SetProperty(static row => row.Value, 7)))),
        ("ExecuteDeleteAsync", 1, 1, static rows => rows.All.Where(static row => row.Value == -1).ExecuteDeleteAsync()),
        ("ExecuteDelete", 1, 1, static rows => Task.FromResult(rows.All.Where(static row => row.Value == -1).ExecuteDelete())),
        ("a query", 0, 1, static rows => rows.All.ToListAsync()),
        ("a query, synchronously", 0, 1, static rows => Task.FromResult(rows.All.ToList())),
        ("a scalar", 0, 1, static rows => rows.All.CountAsync()),
        ("SQL of the application", 0, 1, static rows => rows.Database.ExecuteSqlRawAsync("UPDATE rows SET value = 8")),
        ("SQL of the application, synchronously", 0, 1, static rows => Task.FromResult(rows.Database.ExecuteSqlRaw("UPDATE rows SET value = 8"))),
        ("three statements in a transaction", 1, 1, static async rows =>
        {
            await using var transaction = await rows.Database.BeginTransactionAsync();
            await SaveAsync(rows, isAsync: true, 1);
            await rows.All.ExecuteUpdateAsync(static set => set.SetProperty(static row => row.Value, 7));
            await rows.All.ToListAsync();
            await transaction.CommitAsync();
        }),
    ];

    [PostgresTheory]
    [InlineData(AutoCommitHandling.Pass)]
    [InlineData(AutoCommitHandling.Count)]
    public async Task Statement_OutsideATransaction_TakesOnePermitWhileItRuns(AutoCommitHandling autoCommit)
    {
        await using PostgresDatabase database = await CreateAsync();
        foreach ((string name, long admitted, long counting, Func<Rows, Task> run) in s_uses)
        {
            using TransactionGate gate = CreateGate();
            await using (Rows rows = Create(database, gate, autoCommit))
            {
                await run(rows);
            }

            GateSnapshot end = gate.GetSnapshot();
            (end.Admitted, end.Held).ShouldBe((autoCommit == AutoCommitHandling.Count ? counting : admitted, 0), name);
        }
    }

    [PostgresFact]
    public async Task Statement_FullGate_IsRefusedAndTheContextGoesOn()
    {
        await using PostgresDatabase database = await CreateAsync();
        using TransactionGate gate = CreateGate();
        await using Rows rows = Create(database, gate, AutoCommitHandling.Pass);
        using (gate.AttemptAcquire())
        {
            foreach (bool isAsync in new[] { false, true })
            {
                (await Should.ThrowAsync<DbUpdateException>(() => SaveAsync(rows, isAsync, 1))).InnerException.ShouldBeOfType<TransactionRefusedException>();
                rows.ChangeTracker.Clear();
            }

            await Should.ThrowAsync<TransactionRefusedException>(() => rows.All.ExecuteDeleteAsync());
            Should.Throw<TransactionRefusedException>(() => rows.All.ExecuteDelete());
            (await rows.All.CountAsync()).ShouldBe(1, "a query passes");
        }

        await SaveAsync(rows, isAsync: true, 1);
        gate.GetSnapshot().Held.ShouldBe(0);
    }

    [PostgresTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Statement_InsideATransactionOfTheSystem_NeverWaits(bool isEnlistedByHand)
    {
        await using PostgresDatabase database = await CreateAsync();
        using TransactionGate gate = CreateGate();
        await using Rows rows = Create(database, gate, AutoCommitHandling.Count);
        using (gate.AttemptAcquire())
        {
            using var transaction = new CommittableTransaction();
            using (TransactionScope? scope = isEnlistedByHand ? null : new TransactionScope(transaction, TransactionScopeAsyncFlowOption.Enabled))
            {
                if (isEnlistedByHand)
                {
                    await rows.Database.OpenConnectionAsync();
                    rows.Database.EnlistTransaction(transaction);
                }

                await SaveAsync(rows, isAsync: true, 1);
                rows.All.ExecuteUpdate(static set => set.SetProperty(static row => row.Value, 7)).ShouldBe(2);
                (await rows.All.CountAsync()).ShouldBe(2);
                scope?.Complete();
            }

            transaction.Commit();
            await Should.ThrowAsync<TransactionRefusedException>(() => rows.All.ExecuteDeleteAsync(), "the transaction is over");
        }

        (await rows.All.CountAsync()).ShouldBe(2);
        gate.GetSnapshot().Held.ShouldBe(0);
    }

    [PostgresFact]
    public async Task Statement_Fails_ItsPermitGoesBackAsFailed()
    {
        await using PostgresDatabase database = await CreateAsync();
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 1, Adaptive = true, FlowsWithContext = false });
        await using Rows rows = Create(database, gate, AutoCommitHandling.Count);
        rows.Add(new Row { Id = 1 });
        await Should.ThrowAsync<DbUpdateException>(() => rows.SaveChangesAsync());
        Should.Throw<DbUpdateException>(() => rows.SaveChanges());
        await Should.ThrowAsync<PostgresException>(() => rows.Database.ExecuteSqlRawAsync("SELECT 1 / 0"));
        using var cancel = new CancellationTokenSource();
        Task<int> sleeping = rows.Database.ExecuteSqlRawAsync("SELECT pg_sleep(60)", cancel.Token);
        await database.WaitForAsync("pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'", 1);
        await cancel.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(sleeping);

        GateSnapshot end = gate.GetSnapshot();
        (end.Held, end.Adaptive!.Failed, end.Adaptive.Ended).ShouldBe((0, 4, 0));
    }

    [PostgresFact]
    public async Task Query_ThatCounts_HoldsItsPermitUntilItsRowsAreRead()
    {
        await using PostgresDatabase database = await CreateAsync();
        using TransactionGate gate = CreateGate();
        await using Rows rows = Create(database, gate, AutoCommitHandling.Count);
        await foreach (Row row in rows.All.AsAsyncEnumerable())
        {
            row.Id.ShouldBe(1);
            gate.GetSnapshot().Held.ShouldBe(1);
        }

        gate.GetSnapshot().Held.ShouldBe(0);
        foreach (Row _ in rows.All)
        {
            gate.GetSnapshot().Held.ShouldBe(1);
            break;
        }

        gate.GetSnapshot().Held.ShouldBe(0);
    }

    /// <summary>The framework disposes the transaction without rollback. Its permit stayed until the application closed the connection.</summary>
    [PostgresTheory]
    [InlineData(EntityState.Added, false)]
    [InlineData(EntityState.Added, true)]
    [InlineData(EntityState.Modified, false)]
    [InlineData(EntityState.Modified, true)]
    public async Task SaveChanges_ThatFailsOnAConnectionOfTheApplication_LeavesTheGate(EntityState state, bool isAsync)
    {
        await using PostgresDatabase database = await CreateAsync();
        using TransactionGate gate = CreateGate();
        await using Rows rows = Create(database, gate, AutoCommitHandling.Pass);
        await rows.Database.OpenConnectionAsync();

        // The first is there, and the second is not.
        rows.Entry(new Row { Id = 1 }).State = state;
        rows.Entry(new Row { Id = 2 }).State = state;
        await Should.ThrowAsync<DbUpdateException>(() => isAsync ? rows.SaveChangesAsync() : Task.Run(rows.SaveChanges));

        (gate.GetSnapshot().Admitted, gate.GetSnapshot().Held).ShouldBe((1, 0));
    }

    /// <summary>The framework runs what was made of it before, and the gate asked the context.</summary>
    [PostgresTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Write_OfAPooledContextThatIsDisposed_RunsAsWithoutAGate(bool isAsync)
    {
        await using PostgresDatabase database = await CreateAsync();
        using TransactionGate gate = CreateGate();
        var pool = new PooledDbContextFactory<Rows>(
            new DbContextOptionsBuilder<Rows>().UseNpgsql(database.ConnectionString).UseTransactionGate(gate).Options);
        Rows rows = await pool.CreateDbContextAsync();
        IQueryable<Row> first = rows.All.Where(static row => row.Id == 1);
        (await first.CountAsync()).ShouldBe(1);
        await rows.DisposeAsync();

        (isAsync ? await first.ExecuteDeleteAsync() : first.ExecuteDelete()).ShouldBe(1);

        (gate.GetSnapshot().Admitted, gate.GetSnapshot().Held).ShouldBe((1, 0));
    }

    [Fact]
    public void UseTransactionGate_UnknownHandling_SaysSo()
    {
        using TransactionGate gate = CreateGate();
        Should.Throw<ArgumentOutOfRangeException>(()
            => new DbContextOptionsBuilder().UseTransactionGate(gate, autoCommit: (AutoCommitHandling)7)).Message.ShouldStartWith(
            "autoCommit is '7'; allowed: Pass, Count.");
    }

    private static Task SaveAsync(Rows rows, bool isAsync, int count)
    {
        rows.AddRange(Enumerable.Range(0, count).Select(static _ => new Row()));
        return isAsync ? rows.SaveChangesAsync() : Task.FromResult(rows.SaveChanges());
    }

    private static TransactionGate CreateGate() => new(new TransactionGateOptions { PermitLimit = 1, QueueLimit = 0, FlowsWithContext = false });

    private static Rows Create(PostgresDatabase database, TransactionGate gate, AutoCommitHandling autoCommit) =>
        new(new DbContextOptionsBuilder().UseNpgsql(database.ConnectionString).UseTransactionGate(gate, autoCommit: autoCommit).Options);

    private async Task<PostgresDatabase> CreateAsync()
    {
        PostgresDatabase database = await server.CreateDatabaseAsync();
        await database.ExecuteAsync(
            "CREATE TABLE rows (id bigint GENERATED BY DEFAULT AS IDENTITY (START 100) PRIMARY KEY, value int NOT NULL); INSERT INTO rows VALUES (1, 0)");
        return database;
    }

    private sealed class Row
    {
        public long Id { get; set; }

        public int Value { get; set; }
    }

    private sealed class Rows(DbContextOptions options) : DbContext(options)
    {
        public DbSet<Row> All => Set<Row>();

        protected override void OnModelCreating(ModelBuilder modelBuilder) => modelBuilder.Entity<Row>(static row =>
        {
            row.ToTable("rows");
            row.Property(static it => it.Id).HasColumnName("id");
            row.Property(static it => it.Value).HasColumnName("value");
        });
    }
}
