using System.Net.Http.Json;
using AdaptivePool.Sample.Bank;
using AdaptivePool.Sample.Bank.Accounts;
using AdaptivePool.Sample.Bank.Threads;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Mvc;
using Shouldly;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>The bank on Kestrel and a PostgreSQL database.</summary>
internal sealed class PostgresBank : IAsyncDisposable
{
    private readonly WebApplication _app;

    private PostgresBank(WebApplication app)
    {
        _app = app;
        Client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
    }

    public HttpClient Client { get; }

    public static async Task<PostgresBank> StartAsync(PostgresDatabase database)
    {
        WebApplication app = Program.CreateApp([
            "--urls", "http://127.0.0.1:0",
            "--Logging:LogLevel:Default", "None",
            "--Logging:LogLevel:Microsoft.AspNetCore.Diagnostics", "None",
            "--ConnectionStrings:Bank", database.ConnectionString,
        ]);
        await app.StartAsync();
        return new PostgresBank(app);
    }

    /// <summary>Lets the requests that have begun finish, also those whose client is gone.</summary>
    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    public async Task<BankTotal> GetTotalAsync() => (await Client.GetFromJsonAsync<BankTotal>("/total"))!;

    public async Task<long> GetBalanceAsync(int id) => (await Client.GetFromJsonAsync<Account>($"/accounts/{id}"))!.Balance;

    public async Task<ThreadReport> GetThreadsAsync() => (await Client.GetFromJsonAsync<ThreadReport>("/threads"))!;

    public async Task<TransferReceipt> TransferAsync(string path, int from, int to, long amount)
    {
        using HttpResponseMessage response = await Client.PostAsJsonAsync(path, new TransferRequest { From = from, To = to, Amount = amount });
        ((int)response.StatusCode).ShouldBe(200, await response.Content.ReadAsStringAsync());
        return (await response.Content.ReadFromJsonAsync<TransferReceipt>())!;
    }

    public async Task ShouldRefuseAsync(string path, TransferRequest request, int expected)
    {
        using HttpResponseMessage response = await Client.PostAsJsonAsync(path, request);
        ((int)response.StatusCode).ShouldBe(expected);
        response.Content.Headers.ContentType?.MediaType.ShouldBe("application/problem+json");
        (await response.Content.ReadFromJsonAsync<ProblemDetails>())!.Status.ShouldBe(expected);
    }
}
