using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Scenarios.Load;
using Npgsql;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>
/// One kind of transaction against the server, through Npgsql: statements are not prepared and connections not multiplexed; each transaction takes a connection
/// from the driver's pool (its default FIFO order, up to 1,200) and gives it back, with the driver's default reset.
/// </summary>
public abstract class Transactions(string connectionString) : IAsyncDisposable
{
    /// <summary>Deadlock, serialization failure, duplicate key: sysbench's own list of errors after which an event begins anew.</summary>
    private static readonly string[] s_retried =
        [PostgresErrorCodes.DeadlockDetected, PostgresErrorCodes.SerializationFailure, PostgresErrorCodes.UniqueViolation];

    private int _running;
    private int _peak;

    /// <summary>Most threads that were in a synchronous transaction at once.</summary>
    public int PeakThreads => Volatile.Read(ref _peak);

    /// <summary>Times from the entry to the end of transactions that passed the gate of <see cref="Keep"/>.</summary>
    public LatencyHistogram Inside { get; } = new();

    /// <summary>A gate with connections of its own, through which asynchronous transactions pass; null for none.</summary>
    protected GatedDataSource? Kept { get; private set; }

    /// <summary>Where connections come from.</summary>
    protected NpgsqlDataSource Source { get; } = NpgsqlDataSource.Create(connectionString + ";Maximum Pool Size=1200;Max Auto Prepare=0;Multiplexing=false");

    /// <summary>Creates a kind of transaction.</summary>
    public static Transactions Create(Workload workload, string connectionString) => workload switch
    {
        Workload.TpcB => new TpcB(connectionString),
        Workload.ReadWrite => new ReadWrite(connectionString),
        _ => new TpcC(connectionString),
    };

    /// <summary>One transaction, synchronously; begun anew when the server asks for it.</summary>
    public void Run()
    {
        int running = Interlocked.Increment(ref _running);
        for (int peak = PeakThreads; running > peak; peak = PeakThreads)
        {
            Interlocked.CompareExchange(ref _peak, running, peak);
        }

        try
        {
            while (true)
            {
                try
                {
                    RunOnce();
                    return;
                }
                catch (PostgresException exception) when (s_retried.Contains(exception.SqlState))
                {
                    // The transaction was rolled back when its connection was given back.
                }
            }
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    /// <summary>Lets asynchronous transactions pass a gate that keeps their connections. They are not reset: these transactions leave nothing behind.</summary>
    public void Keep(TransactionGate gate) => Kept = new GatedDataSource(
        NpgsqlDataSource.Create(connectionString + ";Pooling=false;Max Auto Prepare=0;Multiplexing=false"), gate,
            new GatedDataSourceOptions { KeepsConnections = true, ResetStatement = "" });

    /// <summary>One transaction, asynchronously.</summary>
    public virtual Task RunAsync() => throw new NotSupportedException($"{GetType().Name} has no asynchronous form.");

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Source.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>One attempt.</summary>
    protected abstract void RunOnce();

    /// <summary>A command with positional parameters.</summary>
    protected static DbCommand Command(DbConnection connection, string statement, params ReadOnlySpan<int> values)
    {
        DbCommand command = connection.CreateCommand();
        command.CommandText = statement;
        foreach (int value in values)
        {
            command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = value });
        }

        return command;
    }

    /// <summary>Executes a statement and returns the first column of its first row; null without rows.</summary>
    protected static object? Query(NpgsqlConnection connection, string statement, params ReadOnlySpan<int> values)
    {
        using DbCommand command = Command(connection, statement, values);
        return command.ExecuteScalar();
    }

    /// <summary>Executes a statement and reads all its rows.</summary>
    /// <returns>The first column as numbers; empty for text.</returns>
    protected static List<int> ReadAll(NpgsqlConnection connection, string statement, params ReadOnlySpan<int> values)
    {
        using DbCommand command = Command(connection, statement, values);
        using DbDataReader reader = command.ExecuteReader();
        List<int> first = [];
        while (reader.Read())
        {
            if (reader.GetValue(0) is int number)
            {
                first.Add(number);
            }
        }

        return first;
    }
}
