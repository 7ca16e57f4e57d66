using System.Net.Http.Json;
using AdaptivePool.Sample.Bank.Accounts;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>A client that goes away in the middle of a transfer leaves all of it or nothing.</summary>
[Collection(PostgresServerCollection.Name)]
public sealed class PostgresAbortTests(PostgresServer server) : IAsyncLifetime
{
    private PostgresDatabase _database = null!;

    public async Task InitializeAsync() => _database = await server.CreateDatabaseAsync();

    public async Task DisposeAsync() => await _database.DisposeAsync();

    [PostgresFact]
    public async Task PostTransferAsync_ClientGoesWhileItWaitsForARow_RollsBack()
    {
        await using PostgresBank bank = await PostgresBank.StartAsync(_database);
        await using (NpgsqlConnection other = await _database.Source.OpenConnectionAsync())
        {
            await using NpgsqlTransaction transaction = await other.BeginTransactionAsync();
            await LockAccountAsync(other, transaction, 2);
            await SendAndLeaveAsync(bank, "/transfer-async");

            // The row is still held: only the client's departure can have ended the wait, and the row that the transfer held itself must be free again.
            await _database.WaitForBlockedAsync(0);
            await bank.TransferAsync("/transfer", 1, 3, 1);
        }

        (await bank.GetTotalAsync()).ShouldBe(new BankTotal { Accounts = 10_000, Balance = 10_000_000_000, Transfers = 1 });
        (await bank.GetBalanceAsync(2)).ShouldBe(1_000_000);
        (await bank.TransferAsync("/transfer-async", 1, 2, 50)).ToBalance.ShouldBe(1_000_050);
        await _database.ShouldBalanceAsync();
    }

    [PostgresFact]
    public async Task PostTransfer_ClientGoesWhileItWaitsForARow_MovesAllOfIt()
    {
        await using PostgresBank bank = await PostgresBank.StartAsync(_database);
        await using (NpgsqlConnection other = await _database.Source.OpenConnectionAsync())
        {
            await using NpgsqlTransaction transaction = await other.BeginTransactionAsync();
            await LockAccountAsync(other, transaction, 2);
            await SendAndLeaveAsync(bank, "/transfer");
        }

        await _database.WaitForAsync("bank.transfers", 1);
        (await bank.GetBalanceAsync(1)).ShouldBe(999_950);
        (await bank.GetBalanceAsync(2)).ShouldBe(1_000_050);
        await _database.ShouldBalanceAsync();
    }

    [PostgresTheory]
    [InlineData("/transfer")]
    [InlineData("/transfer-async")]
    public async Task PostTransfer_ClientsGoAtAnyMoment_KeepsTheBooks(string path)
    {
        const int Clients = 8;
        const int PerClient = 15;
        int answered = 0;
        await using (PostgresBank bank = await PostgresBank.StartAsync(_database))
        {
            await bank.TransferAsync(path, 1, 2, 1);
            await Task.WhenAll(Enumerable.Range(0, Clients).Select(async client =>
            {
                Random random = new(client);
                for (int i = 0; i < PerClient; i++)
                {
                    using CancellationTokenSource gone = new(TimeSpan.FromMilliseconds(random.Next(1, 30)));
                    try
                    {
                        int from = random.Next(1, 4);
                        TransferRequest request = new() { From = from, To = (from % 3) + 1, Amount = random.Next(1, 1_000) };
                        using HttpResponseMessage response = await bank.Client.PostAsJsonAsync(path, request, gone.Token);
                        ((int)response.StatusCode).ShouldBe(200);
                        Interlocked.Increment(ref answered);
                    }
                    catch (OperationCanceledException)
                    {
                        gone.IsCancellationRequested.ShouldBeTrue();
                    }
                }
            }));

            // The connections of the abandoned requests went back to the bank and work.
            await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => bank.TransferAsync(path, 1, 2, 1)));
        }

        (await _database.CountAsync("bank.transfers")).ShouldBeInRange(1 + answered + Clients, 1 + (Clients * PerClient) + Clients);
        await _database.WaitForAsync("pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'", 0);
        await _database.ShouldBalanceAsync();
    }

    /// <summary>Leaves when the transfer waits in the database for a row that somebody else holds.</summary>
    private async Task SendAndLeaveAsync(PostgresBank bank, string path)
    {
        using CancellationTokenSource gone = new();
        Task<HttpResponseMessage> sent = bank.Client.PostAsJsonAsync(path, new TransferRequest { From = 1, To = 2, Amount = 50 }, gone.Token);
        await _database.WaitForBlockedAsync(1);
        await gone.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => sent);
    }

    private static async Task LockAccountAsync(NpgsqlConnection connection, NpgsqlTransaction transaction, int id)
    {
        await using NpgsqlCommand command = new("SELECT 1 FROM bank.accounts WHERE id = @id FOR UPDATE", connection, transaction);
        command.Parameters.AddWithValue("id", id);
        await command.ExecuteScalarAsync();
    }
}
