using System.Globalization;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>
/// What a request that never waits costs beside the runtime's pool: a server of each, both warm, asked in turn. A machine that is slow for a while is slow for
/// both, so what is compared are the two halves of a pair.
/// </summary>
public sealed class WebPairScenario : Scenario
{
    private const int PairsOfARound = 4;
    private const int WarmUpTurns = 2;

    // At 256 connections the compiler needs 9 to 15 s until the code of a database query is optimized: after 5 s one of two servers had often just got
    // there, and the other had not.
    private const int MostWarmUpTurns = 16;
    private const double CompilerShareOfWarm = 0.02;

    // Two starts gave 0.81 [0.81-0.85] minutes before five gave 1.00 [0.99-1.03].
    private const int FewestStarts = 5;
    private const string Runtime = "runtime";
    private const string RateRatio = "rate-ratio";
    private const string CpuRatio = "cpu-ratio";
    private const string Rate = "runtime-requests-per-s";
    private const string Cpu = "runtime-cpu-us-per-request";
    private const string WarmUp = "warm-up-s";
    private const string Errors = "errors";

    // Connections are opened anew for each look: what that costs is not counted.
    private static readonly TimeSpan s_settle = TimeSpan.FromSeconds(0.2);

    private WebOptions _options = WebOptions.Default;

    /// <inheritdoc/>
    public override string Name => "web-pairs";

    /// <inheritdoc/>
    public override string Description =>
        "requests that never wait: two warm servers, whose code is optimized, one on the runtime's pool, get requests in turn; the ratio of each pair, "
            + "its median and the median's interval of 95 %";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        .. WebCases.Pairs.Select(static c => new ScenarioCase(
            c.Key, $"{c.Value.Connections} connections on {c.Value.Path}{(c.Value.NeedsDatabase ? " (needs PostgreSQL)" : "")}")
        {
            DefaultRounds = 5,
            IsQuick = c.Key == "hello-64",
        }),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new(RateRatio, "of runtime", Better.Higher),
        new(CpuRatio, "of runtime", Better.Lower),
        new(Rate, "1/s"),
        new(Cpu, "us"),
        new(WarmUp, "s", Better.Lower),
        new(Errors, "requests", Better.Lower),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<string> DefaultPools => ["adaptive"];

    /// <inheritdoc/>
    public override string? PoolNote =>
        "The pools of web. 'runtime' compares two servers on the runtime's pool: a difference between them comes from the machine. "
        + "A round starts both servers anew and has four pairs.";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioOption> Options => WebOptions.OfPairs;

    /// <inheritdoc/>
    public override void Configure(RunOptions options) => _options = WebOptions.Read(options);

    /// <inheritdoc/>
    public override void CheckPool(string pool) => WebScenario.Check(pool);

    /// <inheritdoc/>
    public override async Task<ScenarioEnvironment> PrepareAsync(IReadOnlyList<ScenarioCase> cases, Action<string> say, CancellationToken cancellationToken) =>
        await WebEnvironment.StartAsync(cases.Any(static c => WebCases.NeedsDatabase(c.Name)), say, cancellationToken);

    /// <inheritdoc/>
    public override async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(RoundContext round, CancellationToken cancellationToken)
    {
        WebCase web = WebCases.Pairs[round.Case.Name];
        WebPool pool = WebPool.Parse(round.Pool);
        using ChildProcess first = new(round.ToRequest() with { Pool = Runtime });
        using ChildProcess second = new(round.ToRequest() with { Pool = pool.Server, Environment = pool.Environment });
        ServerSide baseline = await StartAsync(first, web, cancellationToken);
        ServerSide compared = await StartAsync(second, web, cancellationToken);

        // Each is first in every second round: the one that was warmed last was 5 % slower, with two servers without us, too.
        ServerSide[] order = round.Number % 2 == 0 ? [baseline, compared] : [compared, baseline];
        TimeSpan turnLength = _options.WarmUp / WarmUpTurns;
        int turns = 0;
        while (turns < WarmUpTurns || (turns < MostWarmUpTurns && Array.Exists(order, static it => it.CompilerShare > CompilerShareOfWarm)))
        {
            foreach (ServerSide side in order)
            {
                await side.AskAsync(TimeSpan.Zero, turnLength, cancellationToken);
            }

            turns++;
        }

        List<MeasuredValue> measured = [new(WarmUp, (turns * turnLength).TotalSeconds)];
        TimeSpan length = TimeSpan.FromSeconds(round.Quick ? 1 : 1.5);
        for (int pair = 0; pair < PairsOfARound; pair++)
        {
            // A B B A: what the machine does slowly falls on both alike.
            foreach (ServerSide side in pair % 2 == 0 ? order : Enumerable.Reverse(order))
            {
                await side.AskAsync(s_settle, length, cancellationToken);
            }

            measured.Add(new(RateRatio, compared.Rate / baseline.Rate));
            measured.Add(new(CpuRatio, compared.CpuPerRequest / baseline.CpuPerRequest));
            measured.Add(new(Rate, baseline.Rate));
            measured.Add(new(Cpu, baseline.CpuPerRequest));
        }

        measured.Add(new(Errors, baseline.Failed + compared.Failed));
        return measured;
    }

    /// <inheritdoc/>
    public override void RunChild(ChildContext child) => WebServer.Run(child);

    /// <inheritdoc/>
    public override void Print(ResultSet results)
    {
        Console.Out.WriteLine("| endpoint and connections | pool | pairs | requests/s | CPU a request | runtime's pool | errors |");
        Console.Out.WriteLine("|---|---|---|---|---|---|---|");
        foreach (ResultCell rate in results.Cells.Where(static c => c.Metric.Name == RateRatio))
        {
            double Of(string metric) => results.Find(rate.Case, rate.Pool, metric)!.Median;
            Console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"| {rate.Case} | {rate.Pool} | {rate.Values.Count} | {Text(rate)} | {Text(results.Find(rate.Case, rate.Pool, CpuRatio)!)} "
                + $"| {Of(Rate):#,##0}/s, {Of(Cpu):0.0} us | {results.Find(rate.Case, rate.Pool, Errors)!.Values.Sum():0} |"));
        }
    }

    private static string Text(ResultCell cell)
    {
        IReadOnlyList<double>[] starts = [.. cell.Values.Chunk(PairsOfARound)];
        if (starts.Length < FewestStarts)
        {
            return string.Create(CultureInfo.InvariantCulture, $"{cell.Median:0.00} [too few starts]");
        }

        (double low, double high) = Bootstrap.MedianInterval(starts);
        return string.Create(CultureInfo.InvariantCulture, $"{cell.Median:0.00} [{low:0.00}-{high:0.00}]");
    }

    private static async Task<ServerSide> StartAsync(ChildProcess server, WebCase web, CancellationToken cancellationToken) =>
        new(server, new Uri(new Uri(await server.WaitReadyAsync(WebServer.StartLimit, cancellationToken)), web.Path), web.Connections);

    /// <summary>One of the two servers, and what it did in the last look.</summary>
    private sealed class ServerSide(ChildProcess server, Uri address, int connections)
    {
        public double Rate { get; private set; }

        public double CpuPerRequest { get; private set; }

        /// <summary>Share of a core that the just-in-time compiler had in the background.</summary>
        public double CompilerShare { get; private set; }

        public long Failed { get; private set; }

        public async Task AskAsync(TimeSpan settle, TimeSpan length, CancellationToken cancellationToken)
        {
            HttpLoad load = new(address, connections);
            ServerCpu cpu = new(server);
            double seconds = await load.RunAsync(settle, length, cancellationToken, cpu.Look);
            Rate = load.Answered / seconds;
            CpuPerRequest = cpu.OwnMicroseconds / load.Answered;
            CompilerShare = cpu.CompilerMicroseconds / (seconds * 1e6);
            Failed += load.Failed + load.TooMany + load.Unavailable;
        }
    }
}
