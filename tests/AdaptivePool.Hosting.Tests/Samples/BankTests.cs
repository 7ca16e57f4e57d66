using System.Collections.Concurrent;
using System.Net;
using System.Net.Http.Json;
using System.Text;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Sample.Bank.Accounts;
using AdaptivePool.Sample.Bank.Show;
using AdaptivePool.Sample.Bank.Threads;
using AdaptivePool.Sample.Bank.Work;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Data.Sqlite;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>What the bank must do on any pool; the two classes at the end run it on both.</summary>
public abstract class BankTests(BankFixture bank)
{
    private const int AccountCount = 10_000;
    private const long InitialBalance = 1_000_000;

    [Fact]
    public async Task GetHello_Always_Greets() => (await bank.Client.GetStringAsync("/hello")).ShouldBe("Hello from the bank");

    [Fact]
    public async Task GetAccount_ExistingId_ReturnsAccount()
        => (await bank.Client.GetFromJsonAsync<Account>("/accounts/9999"))
            .ShouldBe(new Account { Id = 9_999, Owner = "Customer 9999", Balance = InitialBalance });

    [Theory]
    [InlineData("/accounts/0", 400)]
    [InlineData("/accounts/-1", 400)]
    [InlineData("/accounts/abc", 400)]
    [InlineData("/accounts/99999999999", 400)]
    [InlineData("/accounts/10001", 404)]
    [InlineData("/nowhere", 404)]
    public async Task Get_BadPath_IsRefusedWithProblemDetails(string path, int expected)
        => await ShouldBeProblemAsync(await bank.Client.GetAsync(path), expected);

    [Theory]
    [InlineData("", 400)]
    [InlineData("null", 400)]
    [InlineData("{", 400)]
    [InlineData("[]", 400)]
    [InlineData("{}", 400)]
    [InlineData("""{"from":1,"to":2}""", 400)]
    [InlineData("""{"from":1,"to":2,"amount":0}""", 400)]
    [InlineData("""{"from":1,"to":2,"amount":-5}""", 400)]
    [InlineData("""{"from":1,"to":2,"amount":1.5}""", 400)]
    [InlineData("""{"from":1,"to":2,"amount":99999999999999999999}""", 400)]
    [InlineData("""{"from":0,"to":2,"amount":5}""", 400)]
    [InlineData("""{"from":1,"to":-2,"amount":5}""", 400)]
    [InlineData("""{"from":1,"to":1,"amount":5}""", 400)]
    [InlineData("""{"from":1,"to":10001,"amount":5}""", 404)]
    [InlineData("""{"from":10001,"to":1,"amount":5}""", 404)]
    [InlineData("""{"from":1,"to":2,"amount":1000001}""", 409)]
    public async Task PostTransfer_BadBody_IsRefusedAndNothingChanges(string body, int expected)
    {
        BankTotal before = await bank.GetTotalAsync();
        foreach (string path in (string[])["/transfer", "/transfer-async"])
        {
            using StringContent content = new(body, Encoding.UTF8, "application/json");
            await ShouldBeProblemAsync(await bank.Client.PostAsync(path, content), expected);
        }

        (await bank.GetTotalAsync()).ShouldBe(before);
        (await bank.GetBalanceAsync(1)).ShouldBe(InitialBalance);
        (await bank.GetBalanceAsync(2)).ShouldBe(InitialBalance);
    }

    [Theory]
    [InlineData("/transfer", 101)]
    [InlineData("/transfer-async", 103)]
    public async Task PostTransfer_WholeBalance_MovesItOnce(string path, int from)
    {
        TransferRequest request = new() { From = from, To = from + 1, Amount = InitialBalance };
        HttpResponseMessage first = await bank.Client.PostAsJsonAsync(path, request);
        HttpResponseMessage second = await bank.Client.PostAsJsonAsync(path, request);

        first.StatusCode.ShouldBe(HttpStatusCode.OK);
        (await first.Content.ReadFromJsonAsync<TransferReceipt>()).ShouldBe(
            new TransferReceipt { From = from, To = from + 1, Amount = InitialBalance, FromBalance = 0, ToBalance = 2 * InitialBalance });
        await ShouldBeProblemAsync(second, 409);
        (await bank.GetBalanceAsync(from)).ShouldBe(0);
        (await bank.GetBalanceAsync(from + 1)).ShouldBe(2 * InitialBalance);
    }

    [Fact]
    public async Task PostTransfer_ManyAtOnce_KeepsTheBooks()
    {
        const int First = 200;
        const int Accounts = 4;
        const int Clients = 24;
        const int PerClient = 20;
        BankTotal before = await bank.GetTotalAsync();
        ConcurrentBag<TransferReceipt> receipts = [];
        int refused = 0;
        await Task.WhenAll(Enumerable.Range(0, Clients).Select(async client =>
        {
            Random random = new(client);
            for (int i = 0; i < PerClient; i++)
            {
                int from = random.Next(Accounts);
                TransferRequest request =
                    new() { From = First + from, To = First + ((from + random.Next(1, Accounts)) % Accounts), Amount = random.NextInt64(1, InitialBalance) };
                using HttpResponseMessage response = await bank.Client.PostAsJsonAsync(client % 2 == 0 ? "/transfer" : "/transfer-async", request);
                if (response.StatusCode == HttpStatusCode.OK)
                {
                    receipts.Add((await response.Content.ReadFromJsonAsync<TransferReceipt>())!);
                }
                else
                {
                    response.StatusCode.ShouldBe(HttpStatusCode.Conflict);
                    Interlocked.Increment(ref refused);
                }
            }
        }));

        BankTotal after = await bank.GetTotalAsync();
        after.Balance.ShouldBe(AccountCount * InitialBalance);
        (after.Transfers - before.Transfers).ShouldBe(receipts.Count);
        (receipts.Count + refused).ShouldBe(Clients * PerClient);
        refused.ShouldBeGreaterThan(0);
        for (int id = First; id < First + Accounts; id++)
        {
            (await bank.GetBalanceAsync(id))
                .ShouldBe(InitialBalance + receipts.Where(r => r.To == id).Sum(r => r.Amount) - receipts.Where(r => r.From == id).Sum(r => r.Amount));
        }
    }

    [Theory]
    [InlineData("/transfer")]
    [InlineData("/transfer-async")]
    public async Task PostTransfer_AnotherProgramHoldsTheFile_Answers503AndNothingChanges(string path)
    {
        BankTotal before = await bank.GetTotalAsync();
        TransferRequest request = new() { From = 301, To = 302, Amount = 1 };
        using (SqliteConnection other = new(new SqliteConnectionStringBuilder { DataSource = bank.DatabaseFile, Pooling = false }.ToString()))
        {
            other.Open();
            using SqliteTransaction transaction = other.BeginTransaction();
            await ShouldBeProblemAsync(await bank.Client.PostAsJsonAsync(path, request), 503);
        }

        (await bank.GetTotalAsync()).ShouldBe(before);
        (await bank.Client.PostAsJsonAsync(path, request)).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Fact]
    public async Task GetLegacy_ManyAtOnce_AllAnswer()
    {
        Account?[] answers = await Task.WhenAll(Enumerable.Range(0, 16).Select(_ => bank.Client.GetFromJsonAsync<Account>("/legacy")));

        answers.ShouldAllBe(a => a!.Id == 1 && a.Owner == "Customer 1");
    }

    [Fact]
    public async Task GetReport_Always_IsTheSimulation()
        => (await bank.Client.GetFromJsonAsync<RiskReport>("/report")).ShouldBe(RiskCalculator.Simulate(BankFixture.ReportPaths));

    [Fact]
    public async Task GetPartner_Always_ReturnsTheQuote()
        => (await bank.Client.GetFromJsonAsync<PartnerQuote>("/partner")).ShouldBe(new PartnerQuote("EUR/USD", 10_850));

    [Fact]
    public async Task GetHealth_NothingElseHoldsUpTheRuntimesPool_IsHealthy()
    {
        using var patience = new CancellationTokenSource(TestApp.Patience);
        while (await bank.Client.GetStringAsync("/health", patience.Token) != "Healthy")
        {
            await Task.Delay(10, patience.Token);
        }
    }

    [Fact]
    public async Task GetPage_Always_NeedsNothingFromElsewhere()
    {
        using HttpResponseMessage response = await bank.Client.GetAsync("/");
        string page = await response.Content.ReadAsStringAsync();

        response.Content.Headers.ContentType?.MediaType.ShouldBe("text/html");
        page.ShouldStartWith("<!doctype html>");
        page.ShouldNotContain("://");
        page.ShouldNotContain("src=");
        page.ShouldNotContain("href=");
    }

    [Theory]
    [InlineData("", 400)]
    [InlineData("?partner=0&legacy=0", 400)]
    [InlineData("?partner=-1&legacy=2", 400)]
    [InlineData("?partner=200&legacy=57", 400)]
    [InlineData("?partner=2147483647&legacy=2147483647", 400)]
    [InlineData("?partner=1&seconds=0", 400)]
    [InlineData("?partner=1&seconds=31", 400)]
    [InlineData("?partner=x", 400)]
    [InlineData("?partner=1&bank=nobody", 404)]
    public async Task PostBoardStart_BadLoad_IsRefusedWithProblemDetails(string query, int expected)
        => await ShouldBeProblemAsync(await bank.Client.PostAsync("/board/start" + query, null), expected);

    [Fact]
    public async Task PostBoardStart_SmallLoad_IsShownAndNotDoubled()
    {
        HttpResponseMessage first = await bank.Client.PostAsync("/board/start?partner=2&legacy=2&seconds=5", null);
        HttpResponseMessage second = await bank.Client.PostAsync("/board/start?partner=2&legacy=2&seconds=5", null);

        first.StatusCode.ShouldBe(HttpStatusCode.Accepted);
        await ShouldBeProblemAsync(second, 409);
        using CancellationTokenSource patience = new(TimeSpan.FromSeconds(30));
        BankView view = (await bank.Client.GetFromJsonAsync<BankView[]>("/board"))!.Single();
        while (view is not { PartnerAnswers: > 0, LegacyAnswers: > 0, Hello: { P99: not null }, Health: { P99: not null } })
        {
            await Task.Delay(50, patience.Token);
            view = (await bank.Client.GetFromJsonAsync<BankView[]>("/board"))!.Single();
        }

        view.Pool.ShouldNotBeNull().Threads.ShouldBeGreaterThan(0);
    }

    protected async Task<PoolReport> GetPoolAsync()
    {
        await bank.Client.GetStringAsync("/hello");
        return (await bank.Client.GetFromJsonAsync<PoolReport>("/pool"))!;
    }

    protected async Task<ThreadReport> GetThreadsAsync()
    {
        await bank.Client.GetStringAsync("/hello");
        return (await bank.Client.GetFromJsonAsync<ThreadReport>("/threads"))!;
    }

    private static async Task ShouldBeProblemAsync(HttpResponseMessage response, int expected)
    {
        ((int)response.StatusCode).ShouldBe(expected);
        response.Content.Headers.ContentType?.MediaType.ShouldBe("application/problem+json");
        (await response.Content.ReadFromJsonAsync<ProblemDetails>())!.Status.ShouldBe(expected);
        response.Dispose();
    }
}
