using AdaptivePool.Sample.Bank.Compare;
using AdaptivePool.Sample.Bank.Endpoints;
using AdaptivePool.Sample.Bank.Show;
using AdaptivePool.Sample.Bank.Storage;
using AdaptivePool.Sample.Bank.Threads;
using AdaptivePool.Sample.Bank.Work;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Sample.Bank;

public static class Program
{
    public static async Task<int> Main(string[] args)
    {
        if (args is ["compare", ..])
        {
            return await CompareCommand.RunAsync(args[1..]);
        }

        if (args is ["show", ..])
        {
            return await ShowCommand.RunAsync(args[1..]);
        }

        if (args is [var word, ..] && word[0] is not ('-' or '/') && !word.Contains('='))
        {
            await Console.Error.WriteLineAsync(
                $"Unknown command '{word}'. Use 'compare', 'show', or options of the web app such as --urls http://127.0.0.1:5000.");
            return 2;
        }

        try
        {
            await using WebApplication app = CreateApp(args);
            await app.RunAsync();
            return 0;
        }
        catch (Exception e) when (e is BankSettingException or OptionsValidationException or FormatException)
        {
            // A setting of the bank, of the pool, or an address that is none.
            await Console.Error.WriteLineAsync(e.Message);
            return 2;
        }
        catch (IOException e)
        {
            // Such as a port that is in use.
            await Console.Error.WriteLineAsync($"Failed: {e.Message}");
            return 1;
        }
    }

    /// <exception cref="BankSettingException">The configuration asks for something that is not possible.</exception>
    public static WebApplication CreateApp(string[] args)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
        BankOptions options = BankOptions.Read(builder.Configuration);
        IBankStore store = BankStores.Create(options, builder.Configuration.GetConnectionString("Bank"), builder.Environment.ContentRootPath);

        // A line per request costs more than the request.
        builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);
        builder.Services.AddProblemDetails();
        builder.Services.Configure<RouteHandlerOptions>(o => o.ThrowOnBadRequest = false);
        builder.Services.AddSingleton(options);
        builder.Services.AddSingleton(store);
        builder.Services.AddSingleton(_ => new RiskCalculator(options.ReportPaths ?? RiskCalculator.Calibrate(TimeSpan.FromMilliseconds(20))));
        builder.Services.AddSingleton<LegacyClient>();
        builder.Services.AddSingleton<PartnerClient>();
        builder.Services.AddSingleton(Board.OfSelf);
        builder.Services.AddHostedService<InputWatch>();
        builder.Services.AddHostedService<PoolReporter>();
        builder.Services.AddHealthChecks();

        // These two lines are all that a web app needs. The switch is here only for the baseline of "compare", which must not contain a trace of the pool;
        // an app of your own is switched off with AdaptivePool:Enabled=false.
        if (options.UseAdaptivePool)
        {
            builder.Services.AddAdaptivePool();
        }

        WebApplication app = builder.Build();
        if (options.UseAdaptivePool)
        {
            app.UseAdaptivePool();
        }

        app.UseExceptionHandler(new ExceptionHandlerOptions { StatusCodeSelector = BankBusyException.StatusCodeOf });
        app.UseStatusCodePages();
        app.MapGet("/hello", () => "Hello from the bank");
        app.MapGet("/accounts/{id}", AccountEndpoints.Get);
        app.MapPost("/transfer", TransferEndpoints.Post);
        app.MapPost("/transfer-async", TransferEndpoints.PostAsync);
        app.MapGet("/legacy", WorkEndpoints.GetLegacy);
        app.MapGet("/report", WorkEndpoints.GetReport);
        app.MapGet("/partner", WorkEndpoints.GetPartner);
        app.MapGet("/total", AccountEndpoints.GetTotal);
        app.MapHealthChecks("/health");
        app.MapGet("/threads", ThreadEndpoints.Get).DisableAdaptivePool();
        app.MapGet("/pool", ThreadEndpoints.GetPool).DisableAdaptivePool();
        app.MapBoard();

        store.CreateIfMissing();
        return app;
    }
}
