using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Npgsql;
using Npgsql.EntityFrameworkCore.PostgreSQL.Infrastructure;

namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <summary>Makes contexts for programs, with a gate or without, between two interceptors of the application's own.</summary>
internal sealed class EntityProgramBench : IAsyncDisposable
{
    private const int Batch = 100;
    private const string Category = "Microsoft.EntityFrameworkCore.Database.";

    private readonly string _connectionString;
    private readonly TransactionGate[] _gates;
    private readonly AutoCommitHandling _autoCommit;
    private readonly IInterceptor _first;
    private readonly IInterceptor _last;
    private readonly Lazy<PooledDbContextFactory<ProgramContext>> _pool;
    private readonly Lock _lock = new();
    private readonly List<string> _events = [];
    private (string Event, bool IsLast, Exception Exception)? _failure;

    /// <param name="connectionString">The database.</param>
    /// <param name="flow">Which of the programs that run together this is: each has rows of its own.</param>
    /// <param name="gates">The gates that the contexts use, one after another.</param>
    /// <param name="autoCommit">How they handle statements.</param>
    public EntityProgramBench(string connectionString, int flow, TransactionGate[] gates, AutoCommitHandling autoCommit = AutoCommitHandling.Pass)
    {
        // On a busy machine the server may take longer to end what is cancelled than the provider waits before it closes the connection.
        _connectionString = connectionString + ";Cancellation Timeout=0";
        (_gates, _autoCommit) = (gates, autoCommit);
        FirstOwner = flow * Owners;
        _first = ProgramEvents.Create(name => Told(name, isLast: false));
        _last = ProgramEvents.Create(name => Told(name, isLast: true));
        _pool = new(() => new PooledDbContextFactory<ProgramContext>(Options(given: null, retries: false, Batch), poolSize: 8));
        Given = [new NpgsqlConnection(_connectionString), new NpgsqlConnection(_connectionString)];
    }

    /// <summary>How many owners of rows a program has: what runs at once on two connections never writes the same row.</summary>
    public const int Owners = 6;

    public int FirstOwner { get; }

    /// <summary>Whether a transaction can share the permit of another connection's.</summary>
    public bool Flows { get; init; }

    /// <summary>Whether all statements count.</summary>
    public bool Counts => _autoCommit == AutoCommitHandling.Count;

    /// <summary>Connections of the application's own.</summary>
    public DbConnection[] Given { get; }

    /// <summary>How many permits of a gate were out at most.</summary>
    public int Peak { get; private set; }

    /// <summary>How many permits of each gate are out.</summary>
    public IEnumerable<int> Held => _gates.Select(static gate => gate.GetSnapshot().Held);

    public ProgramContext Create(DbConnection? given = null, bool retries = false, int batch = Batch) => new(Options(given, retries, batch));

    public ProgramContext CreatePooled() => _pool.Value.CreateDbContext();

    /// <summary>Makes an interceptor throw once in a member whose name begins so.</summary>
    public void Fail(string name, bool isLast, Exception exception) => _failure = (name, isLast, exception);

    public void FailNoMore() => _failure = null;

    /// <summary>Whether the server runs the statement of an owner that sleeps.</summary>
    public async Task<bool> SleepsAsync(int owner)
    {
        await using var connection = new NpgsqlConnection(_connectionString);
        await connection.OpenAsync();
        await using NpgsqlCommand command = connection.CreateCommand();
        command.CommandText = $"SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE 'SELECT {owner} %')";
        return (bool)(await command.ExecuteScalarAsync())!;
    }

    /// <summary>What the framework has told since it was asked last.</summary>
    public string[] TakeEvents()
    {
        Peak = Math.Max(Peak, Held.DefaultIfEmpty().Max());
        lock (_lock)
        {
            string[] taken = [.. _events];
            _events.Clear();
            return taken;
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (DbConnection given in Given)
        {
            await given.DisposeAsync();
        }
    }

    private DbContextOptions<ProgramContext> Options(DbConnection? given, bool retries, int batch)
    {
        var builder = new DbContextOptionsBuilder<ProgramContext>();
        _ = given is null ? builder.UseNpgsql(_connectionString, Set) : builder.UseNpgsql(given, Set);
        builder.AddInterceptors(_first);
        foreach (TransactionGate gate in _gates)
        {
            builder.UseTransactionGate(gate, autoCommit: _autoCommit);
        }

        return builder.AddInterceptors(_last)
            .LogTo(static (id, _) => id.Name?.StartsWith(Category, StringComparison.Ordinal) == true, told => Note(told.EventId.Name![Category.Length..]))
            .Options;

        void Set(NpgsqlDbContextOptionsBuilder npgsql)
        {
            npgsql.MaxBatchSize(batch);
            if (retries)
            {
                npgsql.EnableRetryOnFailure(2, TimeSpan.Zero, errorCodesToAdd: null);
            }
        }
    }

    private void Told(string name, bool isLast)
    {
        // Nobody is told of a transaction that enters the gate and then cannot begin.
        int begins = !isLast && name.StartsWith("TransactionStarting", StringComparison.Ordinal) ? 1 : 0;
        Peak = Math.Max(Peak, Held.DefaultIfEmpty().Max() + begins);
        if (!isLast)
        {
            Note(name);
        }

        if (_failure is { } failure && failure.IsLast == isLast && name.StartsWith(failure.Event, StringComparison.Ordinal))
        {
            _failure = null;
            throw failure.Exception;
        }
    }

    private void Note(string told)
    {
        lock (_lock)
        {
            _events.Add(told);
        }
    }
}
