using System.Net;
using System.Net.Sockets;
using AdaptivePool.Sample.Bank.Compare;
using AdaptivePool.Sample.Bank.Threads;
using AdaptivePool.Sample.Bank.Work;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>The comparison must notice when an answer, the pool or the books are wrong.</summary>
public sealed class CompareChecksTests(BankFixture bank) : IClassFixture<BankFixture>
{
    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(200);

    [Fact]
    public async Task RunAsync_EveryWorkload_IsAnsweredRight()
    {
        using LoadClient client = new(bank.Client.BaseAddress!);
        foreach (Workload workload in Workloads.All(RiskCalculator.Simulate(BankFixture.ReportPaths)))
        {
            CellResult result = await client.RunAsync(workload with { Clients = 2 }, s_short, seed: 1, CancellationToken.None);

            result.FirstWrong.ShouldBeNull(workload.Name);
            result.Answers.Count.ShouldBeGreaterThan(0, workload.Name);
        }
    }

    [Fact]
    public async Task RunAsync_AnswerIsNotWhatItShouldBe_IsWrong()
    {
        using LoadClient client = new(bank.Client.BaseAddress!);
        Workload report = Workloads.All(new RiskReport(BankFixture.ReportPaths, -1)).Single(w => w.Name == "GET /report");
        CellResult result = await client.RunAsync(report, s_short, seed: 1, CancellationToken.None);

        result.Answers.ShouldBeEmpty();
        result.Wrong.ShouldBeGreaterThan(0);
        result.FirstWrong.ShouldNotBeNull().ShouldStartWith("/report answered 200");
    }

    [Fact]
    public async Task RunAsync_NobodyListens_IsWrongOncePerClient()
    {
        using TcpListener port = new(IPAddress.Loopback, 0);
        port.Start();
        Uri address = new($"http://{port.LocalEndpoint}");
        port.Stop();
        using LoadClient client = new(address);
        CellResult result = await client.RunAsync(new Workload("", 3, 1, _ => new Call("/hello", null, (_, _) => true)), s_short, seed: 1,
            CancellationToken.None);

        result.Wrong.ShouldBe(3);
        result.FirstWrong.ShouldNotBeNull().ShouldStartWith("/hello was not answered");
    }

    [Fact]
    public async Task RunAsync_Starved_AsksBesideTheLoad()
    {
        using LoadClient client = new(bank.Client.BaseAddress!);
        CellResult result = await RunStarvedUntilAsync(client, static r => r.Answers.Count > 0);

        result.FirstWrong.ShouldBeNull();
    }

    [Fact]
    public async Task RunAsync_StarvedServerNeverAnswers_ReportsHowLongRequestsWaited()
    {
        using TcpListener port = new(IPAddress.Loopback, 0);
        port.Start();
        using LoadClient client = new(new Uri($"http://{port.LocalEndpoint}"));
        CellResult result = await RunStarvedUntilAsync(client, static r => r.Unanswered.Count > 0);

        result.Answers.ShouldBeEmpty();
        result.FirstWrong.ShouldBeNull();
        result.Unanswered.ShouldAllBe(waited => waited > StarvedLoad.Period);
    }

    [Fact]
    public async Task RunAsync_StarvedNobodyListens_IsWrong()
    {
        using TcpListener port = new(IPAddress.Loopback, 0);
        port.Start();
        Uri address = new($"http://{port.LocalEndpoint}");
        port.Stop();
        using LoadClient client = new(address);
        CellResult result;
        int runs = 0;
        do
        {
            // On a machine that is busy elsewhere a refusal can take longer than a short cell, and then it counts as no answer.
            result = await new StarvedLoad(client).RunAsync(Workloads.Starved with { Beside = [] }, s_short, seed: 1, CancellationToken.None);
        }
        while (result.Wrong == 0 && ++runs < 100);

        result.Wrong.ShouldBeGreaterThan(0);
        result.FirstWrong.ShouldNotBeNull().ShouldStartWith("/hello was not answered");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Checks_OnAChild_PassAndNoticeAMissingTransfer(bool adaptive)
    {
        PoolKind kind = adaptive ? PoolKind.Adaptive : PoolKind.Runtime;
        string folder;
        using (CompareStore store = new(connectionString: null))
        {
            folder = store.Folder;
            await using BankProcess child = await BankProcess.StartAsync(kind, store, BankFixture.ReportPaths, CancellationToken.None);
            await CorrectnessCheck.RefusalsAsync(child, CancellationToken.None);
            await CorrectnessCheck.PoolAsync(child, CancellationToken.None);
            await CorrectnessCheck.MoneyAsync(child, CancellationToken.None);
            (await ReportOfAsync(child)).Pool.ShouldBe(adaptive ? "AdaptivePool" : "the runtime's pool");
            child.ReportedPeak.ShouldBeGreaterThan(0);
            child.TransfersSeen++;

            (await Should.ThrowAsync<CompareException>(() => CorrectnessCheck.MoneyAsync(child, CancellationToken.None))).Message.ShouldContain("The balances");
        }

        Directory.Exists(folder).ShouldBeFalse();
    }

    // On a busy machine the one request of a short run may come too late to be judged.
    private static async Task<CellResult> RunStarvedUntilAsync(LoadClient client, Func<CellResult, bool> isEnough)
    {
        using CancellationTokenSource patience = new(TimeSpan.FromSeconds(30));
        Workload starved = Workloads.Starved with { Beside = [.. Workloads.Starved.Beside.Select(b => b with { Clients = 2 })] };
        CellResult result;
        do
        {
            result = await new StarvedLoad(client).RunAsync(starved, s_short, seed: 1, patience.Token);
        }
        while (!isEnough(result));

        return result;
    }

    private static async Task<PoolReport> ReportOfAsync(BankProcess child)
    {
        using CancellationTokenSource patience = new(TimeSpan.FromSeconds(30));
        while (child.Pool is null)
        {
            await Task.Delay(20, patience.Token);
        }

        return child.Pool;
    }
}
