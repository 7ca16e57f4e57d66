using System.Globalization;
using AdaptivePool.Admission;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Scenarios.Postgres;
using Npgsql;

namespace AdaptivePool.Scenarios.Scenarios.Fleet;

/// <summary>One instance, in a process of its own: clients in a closed loop behind its gate, counted in bins of the clock that all processes share.</summary>
/// <param name="child">The child.</param>
public sealed class FleetInstanceRun(ChildContext child)
{
    /// <summary>Milliseconds of a bin.</summary>
    public const int BinMilliseconds = 100;

    /// <summary>What the names of bins begin with; the rest is their number.</summary>
    public const string BinPrefix = "bin-";

    /// <summary>What the names of totals in force begin with; the rest is the number of the bin in which one was seen.</summary>
    public const string TotalPrefix = "total-bin-";

    /// <summary>Settings of an instance.</summary>
    public const string FromSetting = "from", UntilSetting = "until", InstancesSetting = "instances", ClientsSetting = "clients";

    /// <summary>Runs of every client before the beginning: the provider prepares a statement at its second use.</summary>
    private const int WarmUpRounds = 3;

    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(50);
    private readonly List<(long Bin, int Total)> _totals = [];
    private long _begin;
    private long _end;
    private long _errors;

    private static long Now => DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();

    /// <summary>Runs from its beginning to its end.</summary>
    public void Run()
    {
        int clients = int.Parse(child.Setting(ClientsSetting), CultureInfo.InvariantCulture);
        string connectionString = child.Setting(PostgresEnvironment.ConnectionSetting) + ";Maximum Pool Size=400;Max Auto Prepare=4;Auto Prepare Min Usages=2";
        NpgsqlDataSource source = NpgsqlDataSource.Create(connectionString);
        Func<Task> transaction = child.Case.StartsWith(FleetComparison.Bank, StringComparison.Ordinal)
            ? new TpcB(child.Setting(PostgresEnvironment.ConnectionSetting)).RunAsync : () => ServeAsync(source);
        using TransactionGate? gate = FleetGates.Create(child.PoolName, int.Parse(child.Setting(InstancesSetting), CultureInfo.InvariantCulture), source);

        // Before anything counts: what is compiled and connected first is not the gate's.
        WarmUpAsync(transaction, child.Case.StartsWith(FleetComparison.Cold, StringComparison.Ordinal) ? 1 : clients).GetAwaiter().GetResult();
        child.ReportReady(child.Case);
        long begin = AwaitBegin(source);
        (_begin, _end) = (begin + Milliseconds(FromSetting), begin + Milliseconds(UntilSetting));
        int[] bins = new int[((_end - _begin) / BinMilliseconds) + 1];
        Thread.Sleep((int)Math.Max(0, _begin - Now));
        long late = Now - _begin;
        Thread watch = new(() => Watch(gate)) { Name = "totals", IsBackground = true };
        watch.Start();
        Task.WaitAll([.. Enumerable.Range(0, clients).Select(_ => Task.Run(() => LoopAsync(gate, transaction, bins)))]);
        watch.Join();

        for (int i = 0; i < bins.Length; i++)
        {
            child.Report(string.Create(CultureInfo.InvariantCulture, $"{BinPrefix}{(_begin / BinMilliseconds) + i}"), bins[i]);
        }

        foreach ((long bin, int total) in _totals)
        {
            child.Report(string.Create(CultureInfo.InvariantCulture, $"{TotalPrefix}{bin}"), total);
        }

        child.Report("late-ms", late);
        child.Report("errors", Interlocked.Read(ref _errors));
        if (gate is not null)
        {
            AdaptiveLimitSnapshot? adaptive = gate.GetSnapshot().Adaptive;
            if (adaptive?.Fleet is { } fleet)
            {
                child.Report("total-limit", fleet.Total);
            }

            child.Report("limit", adaptive?.Verified ?? gate.PermitLimit);
            if (adaptive?.Fleet?.Failure is { } failure)
            {
                Console.Error.WriteLine(failure);
            }
        }
    }

    /// <summary>Opens as many sessions as transactions run at once, and has the statements prepared in them.</summary>
    private static async Task WarmUpAsync(Func<Task> transaction, int atOnce)
    {
        for (int i = 0; i < WarmUpRounds; i++)
        {
            await Task.WhenAll(Enumerable.Range(0, atOnce).Select(_ => transaction()));
        }
    }

    /// <summary>Notes each total that comes into force.</summary>
    private void Watch(TransactionGate? gate)
    {
        while (gate is not null && Now < _end)
        {
            if (gate.GetSnapshot().Adaptive?.Fleet is { } fleet && (_totals.Count == 0 || _totals[^1].Total != fleet.Total))
            {
                _totals.Add((Now / BinMilliseconds, fleet.Total));
            }

            Thread.Sleep(BinMilliseconds);
        }
    }

    private long Milliseconds(string setting) => (long)(1_000 * double.Parse(child.Setting(setting), CultureInfo.InvariantCulture));

    /// <summary>Waits until the parent says when the round begins, which it does once all processes are there.</summary>
    private static long AwaitBegin(NpgsqlDataSource source)
    {
        while (true)
        {
            using NpgsqlCommand command = source.CreateCommand("SELECT at FROM fleet_begin");
            if (command.ExecuteScalar() is long begin)
            {
                return begin;
            }

            Thread.Sleep(s_look);
        }
    }

    private static async Task ServeAsync(NpgsqlDataSource source)
    {
        await using NpgsqlCommand command = source.CreateCommand("SELECT serve()");
        await command.ExecuteNonQueryAsync();
    }

    private async Task LoopAsync(TransactionGate? gate, Func<Task> transaction, int[] bins)
    {
        while (Now < _end)
        {
            try
            {
                using IDisposable? lease = gate is null ? null : await gate.AcquireAsync();
                await transaction();
                long bin = (Now - _begin) / BinMilliseconds;
                if (bin >= 0 && bin < bins.Length)
                {
                    Interlocked.Increment(ref bins[bin]);
                }
            }
            catch (NpgsqlException)
            {
                Interlocked.Increment(ref _errors);
            }
        }
    }
}
