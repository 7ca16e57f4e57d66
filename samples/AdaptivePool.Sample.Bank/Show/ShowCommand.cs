using System.Globalization;
using AdaptivePool.Sample.Bank.Compare;
using AdaptivePool.Sample.Bank.Endpoints;
using AdaptivePool.Sample.Bank.Work;

namespace AdaptivePool.Sample.Bank.Show;

/// <summary>"show": the bank on both pools, each in a process of its own, and a page that shows them side by side.</summary>
internal static class ShowCommand
{
    private const string Usage = "Usage: show [--port N]   N: port of the page on 127.0.0.1, 0 to 65535 (0: any free port), default 5080";
    private const int DefaultPort = 5080;
    private const int BadArguments = 2;
    private static readonly TimeSpan s_reportTime = TimeSpan.FromMilliseconds(20);

    public static async Task<int> RunAsync(string[] args)
    {
        if (ReadPort(args, out string error) is not { } port)
        {
            await Console.Error.WriteLineAsync(error);
            await Console.Error.WriteLineAsync(Usage);
            return BadArguments;
        }

        try
        {
            using CompareStore store = new(new ConfigurationBuilder().AddEnvironmentVariables().Build().GetConnectionString("Bank"));
            int paths = RiskCalculator.Calibrate(s_reportTime);
            await using BankProcess runtime = await BankProcess.StartAsync(PoolKind.Runtime, store, paths, CancellationToken.None);
            await using BankProcess adaptive = await BankProcess.StartAsync(PoolKind.Adaptive, store, paths, CancellationToken.None);
            using Board board = new(() => [Watch("runtime", runtime), Watch("adaptive", adaptive)]);
            await using WebApplication app = CreateApp(board, port);
            await app.StartAsync();
            Console.WriteLine($"Both banks are running. Open {app.Urls.First()}/ in a browser. Press Ctrl+C to stop.");
            await app.WaitForShutdownAsync();
            return 0;
        }
        catch (Exception e) when (e is CompareException or BankSettingException or IOException)
        {
            await Console.Error.WriteLineAsync($"Failed: {e.Message}");
            return 1;
        }
    }

    /// <summary>The page alone, in a process that runs no bank: whatever starves, it answers.</summary>
    public static WebApplication CreateApp(Board board, int port)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddProblemDetails();
        builder.Services.AddSingleton(board);
        WebApplication app = builder.Build();
        app.Urls.Add(string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{port}"));
        app.MapBoard();
        return app;
    }

    private static WatchedBank Watch(string name, BankProcess bank) => new(name, bank.Client, () => bank.Pool);

    /// <summary>Reads the arguments; <paramref name="error"/> says what is wrong with them.</summary>
    private static int? ReadPort(string[] args, out string error)
    {
        int port = DefaultPort;
        error = args switch
        {
            [] => "",
            ["--port"] => "--port needs a number.",
            ["--port", var text] => IsPort(text, out port) ? "" : $"--port is '{text}'; allowed: whole numbers from 0 to {ushort.MaxValue}.",
            ["--port", _, var more, ..] => $"Unknown argument '{more}'.",
            [var first, ..] => $"Unknown argument '{first}'.",
        };
        return error.Length == 0 ? port : null;
    }

    private static bool IsPort(string text, out int port) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out port) && port <= ushort.MaxValue;
}
