using System.Net.Http.Json;
using AdaptivePool.Sample.Bank;
using AdaptivePool.Sample.Bank.Accounts;
using Microsoft.AspNetCore.Builder;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>The bank on Kestrel, on a free port and a database file of its own.</summary>
public class BankFixture : IAsyncLifetime
{
    public const int ReportPaths = 200;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bank-test-");
    private WebApplication? _app;

    public HttpClient Client { get; } = new();

    public string DatabaseFile => Path.Combine(_folder.FullName, "bank.db");

    protected virtual bool UseAdaptivePool => true;

    public async Task InitializeAsync()
    {
        _app = Program.CreateApp([
            "--urls", "http://127.0.0.1:0",
            "--Logging:LogLevel:Default", "Critical",
            "--Bank:UseAdaptivePool", UseAdaptivePool ? "true" : "false",
            "--Bank:DatabaseFile", DatabaseFile,
            "--Bank:BusyTimeoutSeconds", "1",
            "--Bank:ReportPaths", $"{ReportPaths}",
        ]);
        await _app.StartAsync();
        Client.BaseAddress = new Uri(_app.Urls.First());
    }

    public async Task DisposeAsync()
    {
        Client.Dispose();
        if (_app is not null)
        {
            await _app.StopAsync();
            await _app.DisposeAsync();
        }

        _folder.Delete(recursive: true);
    }

    public async Task<BankTotal> GetTotalAsync() => (await Client.GetFromJsonAsync<BankTotal>("/total"))!;

    public async Task<long> GetBalanceAsync(int id) => (await Client.GetFromJsonAsync<Account>($"/accounts/{id}"))!.Balance;
}
