using AdaptivePool.Sample.Bank.Accounts;
using AdaptivePool.Sample.Bank.Threads;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

[Collection(PostgresServerCollection.Name)]
public sealed class PostgresBankTests(PostgresServer server) : IAsyncLifetime
{
    private static readonly string[] s_paths = ["/transfer", "/transfer-async"];

    private PostgresDatabase _database = null!;

    public async Task InitializeAsync() => _database = await server.CreateDatabaseAsync();

    public async Task DisposeAsync() => await _database.DisposeAsync();

    [PostgresFact]
    public async Task CreateApp_EmptyDatabase_CreatesSchemaAndAccounts()
    {
        await using PostgresBank bank = await PostgresBank.StartAsync(_database);

        (await bank.GetTotalAsync()).ShouldBe(new BankTotal { Accounts = 10_000, Balance = 10_000_000_000, Transfers = 0 });
        (await _database.CountAsync("pg_tables WHERE schemaname = 'bank' AND tablename IN ('accounts', 'transfers')")).ShouldBe(2);
        (await _database.CountAsync("bank.accounts WHERE id BETWEEN 1 AND 10000 AND owner = 'Customer ' || id AND balance = 1000000")).ShouldBe(10_000);
    }

    [PostgresFact]
    public async Task CreateApp_SecondStart_KeepsBalances()
    {
        await using (PostgresBank first = await PostgresBank.StartAsync(_database))
        {
            await first.TransferAsync("/transfer", 1, 2, 7);
        }

        await using PostgresBank second = await PostgresBank.StartAsync(_database);

        (await second.GetBalanceAsync(1)).ShouldBe(999_993);
        (await second.GetBalanceAsync(2)).ShouldBe(1_000_007);
        (await second.GetTotalAsync()).ShouldBe(new BankTotal { Accounts = 10_000, Balance = 10_000_000_000, Transfers = 1 });
    }

    [PostgresFact]
    public async Task CreateApp_TwoAtOnceOnAnEmptyDatabase_BothStart()
    {
        Task<PostgresBank>[] starts;
        await using (NpgsqlConnection gate = await _database.Source.OpenConnectionAsync())
        {
            // Nobody else can create this schema or see that it is there until we let go: both apps meet here.
            await using NpgsqlTransaction transaction = await gate.BeginTransactionAsync();
            await using NpgsqlCommand create = new("CREATE SCHEMA bank", gate, transaction);
            await create.ExecuteNonQueryAsync();
            starts = [StartOnThreadAsync(), StartOnThreadAsync()];
            await _database.WaitForBlockedAsync(2);
            await transaction.RollbackAsync();
        }

        await using PostgresBank first = await starts[0];
        await using PostgresBank second = await starts[1];
        await first.TransferAsync("/transfer", 1, 2, 5);

        (await second.TransferAsync("/transfer", 1, 2, 5)).ToBalance.ShouldBe(1_000_010);
        (await first.GetTotalAsync()).ShouldBe(new BankTotal { Accounts = 10_000, Balance = 10_000_000_000, Transfers = 2 });
    }

    [PostgresFact]
    public async Task PostTransfer_WholeBalance_MovesItOnce()
    {
        await using PostgresBank bank = await PostgresBank.StartAsync(_database);
        foreach (string path in s_paths)
        {
            int from = path == s_paths[0] ? 101 : 103;
            TransferReceipt receipt = await bank.TransferAsync(path, from, from + 1, 1_000_000);

            receipt.ShouldBe(new TransferReceipt { From = from, To = from + 1, Amount = 1_000_000, FromBalance = 0, ToBalance = 2_000_000 });
            await bank.ShouldRefuseAsync(path, new TransferRequest { From = from, To = from + 1, Amount = 1_000_000 }, 409);
            (await bank.GetBalanceAsync(from)).ShouldBe(0);
            (await bank.GetBalanceAsync(from + 1)).ShouldBe(2_000_000);
        }

        (await bank.GetTotalAsync()).Transfers.ShouldBe(2);
        await _database.ShouldBalanceAsync();
    }

    [PostgresTheory]
    [InlineData(0, 2, 5, 400)]
    [InlineData(1, 1, 5, 400)]
    [InlineData(1, 2, -5, 400)]
    [InlineData(1, 10_001, 5, 404)]
    [InlineData(10_001, 1, 5, 404)]
    [InlineData(1, 2, 1_000_001, 409)]
    public async Task PostTransfer_BadRequest_IsRefusedAndNothingChanges(int from, int to, long amount, int expected)
    {
        await using PostgresBank bank = await PostgresBank.StartAsync(_database);
        foreach (string path in s_paths)
        {
            await bank.ShouldRefuseAsync(path, new TransferRequest { From = from, To = to, Amount = amount }, expected);
        }

        await ShouldBeUntouchedAsync(bank);
    }

    [PostgresTheory]
    [InlineData("/transfer")]
    [InlineData("/transfer-async")]
    public async Task PostTransfer_LastStatementFails_UndoesTheOthers(string path)
    {
        await using PostgresBank bank = await PostgresBank.StartAsync(_database);
        await _database.ExecuteAsync("ALTER TABLE bank.transfers ADD CHECK (amount <> 13)");
        await bank.ShouldRefuseAsync(path, new TransferRequest { From = 1, To = 2, Amount = 13 }, 500);

        await ShouldBeUntouchedAsync(bank);
        (await bank.TransferAsync(path, 1, 2, 14)).ToBalance.ShouldBe(1_000_014);
    }

    [PostgresTheory]
    [InlineData("/transfer")]
    [InlineData("/transfer-async")]
    public async Task PostTransfer_DatabaseReportsConflicts_TriesThreeTimes(string path)
    {
        await using PostgresBank bank = await PostgresBank.StartAsync(_database);

        // A sequence is not rolled back: it counts the attempts.
        await _database.ExecuteAsync("""
            CREATE SEQUENCE bank.attempts;
            CREATE FUNCTION bank.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE attempt BIGINT := nextval('bank.attempts');
            BEGIN
                IF attempt <> 6 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = CASE attempt % 2 WHEN 0 THEN 'serialization_failure' ELSE 'deadlock_detected' END; END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON bank.transfers FOR EACH ROW EXECUTE FUNCTION bank.refuse()
            """);
        await bank.ShouldRefuseAsync(path, new TransferRequest { From = 1, To = 2, Amount = 9 }, 503);
        await ShouldBeUntouchedAsync(bank);

        (await bank.TransferAsync(path, 1, 2, 9)).ShouldBe(new TransferReceipt { From = 1, To = 2, Amount = 9, FromBalance = 999_991, ToBalance = 1_000_009 });
        (await _database.CountAsync("bank.attempts WHERE last_value = 6")).ShouldBe(1);
        (await bank.GetTotalAsync()).Transfers.ShouldBe(1);
        await _database.ShouldBalanceAsync();
    }

    [PostgresFact]
    public async Task PostTransfer_BothDirectionsAtOnce_AllSucceedAndKeepTheBooks()
    {
        const int Accounts = 3;
        const int Clients = 24;
        const int PerClient = 20;
        await using PostgresBank bank = await PostgresBank.StartAsync(_database);
        await Task.WhenAll(Enumerable.Range(0, Clients).Select(async client =>
        {
            Random random = new(client);
            for (int i = 0; i < PerClient; i++)
            {
                int from = random.Next(Accounts);
                int to = (from + random.Next(1, Accounts)) % Accounts;
                await bank.TransferAsync(s_paths[client % s_paths.Length], from + 1, to + 1, random.Next(1, 1_000));
            }
        }));

        (await bank.GetTotalAsync()).ShouldBe(new BankTotal { Accounts = 10_000, Balance = 10_000_000_000, Transfers = Clients * PerClient });
        await _database.ShouldBalanceAsync();
    }

    [PostgresFact]
    public async Task GetThreads_AfterTransfers_HasRunThemOnThePool()
    {
        const int Requests = 20;
        await using PostgresBank bank = await PostgresBank.StartAsync(_database);
        long before = (await bank.GetThreadsAsync()).Completed.ShouldNotBeNull();
        for (int i = 0; i < Requests; i++)
        {
            await bank.TransferAsync(s_paths[i % s_paths.Length], 1, 2, 1);
        }

        ThreadReport report = await bank.GetThreadsAsync();
        report.Adaptive.ShouldBeGreaterThan(0);

        // The last one may have answered and not have returned yet.
        (report.Completed.ShouldNotBeNull() - before).ShouldBeGreaterThanOrEqualTo(Requests - 1);
    }

    private Task<PostgresBank> StartOnThreadAsync()
        => Task.Factory.StartNew(() => PostgresBank.StartAsync(_database), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
            .Unwrap();

    private async Task ShouldBeUntouchedAsync(PostgresBank bank)
    {
        (await bank.GetTotalAsync()).ShouldBe(new BankTotal { Accounts = 10_000, Balance = 10_000_000_000, Transfers = 0 });
        (await _database.CountAsync("bank.accounts WHERE balance <> 1000000")).ShouldBe(0);
    }
}
