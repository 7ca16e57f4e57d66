using System.Diagnostics;
using System.Runtime.InteropServices;
using AdaptivePool.Sample.Bank.Work;
using Spectre.Console;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>"compare": the bank on both pools under the same load, and a table.</summary>
internal static class CompareCommand
{
    private const int Failed = 1;
    private const int BadArguments = 2;
    private const int Interrupted = 130;
    private const int WideEnough = 120;
    private static readonly TimeSpan s_reportTime = TimeSpan.FromMilliseconds(20);

    public static async Task<int> RunAsync(string[] args)
    {
        if (CompareOptions.Parse(args, out string error) is not { } options)
        {
            await Console.Error.WriteLineAsync(error);
            await Console.Error.WriteLineAsync(CompareOptions.Usage);
            return BadArguments;
        }

        using CancellationTokenSource interrupt = new();
        using PosixSignalRegistration onInterrupt = Register(PosixSignal.SIGINT, interrupt);
        using PosixSignalRegistration onTerminate = Register(PosixSignal.SIGTERM, interrupt);
        using PosixSignalRegistration onHangUp = Register(PosixSignal.SIGHUP, interrupt);
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(interrupt.Token);
        end.CancelAfter(options.Limit);
        try
        {
            await RunAsync(options, end.Token);
            return 0;
        }
        catch (Exception) when (interrupt.IsCancellationRequested)
        {
            // Whatever it was: a terminal interrupts the children too, and then nobody answers.
            await Console.Error.WriteLineAsync("Interrupted.");
            return Interrupted;
        }
        catch (OperationCanceledException)
        {
            await Console.Error.WriteLineAsync($"Failed: some requests had no answer after {options.Limit.TotalSeconds:0} s.");
            return Failed;
        }
        catch (Exception e) when (e is CompareException or BankSettingException)
        {
            await Console.Error.WriteLineAsync($"Failed: {e.Message}");
            return Failed;
        }
        catch (Exception e)
        {
            await Console.Error.WriteLineAsync($"Failed: {e.Message}{Environment.NewLine}{e}");
            return Failed;
        }
    }

    private static async Task RunAsync(CompareOptions options, CancellationToken cancellationToken)
    {
        if (Console.IsOutputRedirected)
        {
            AnsiConsole.Profile.Width = WideEnough;
        }

        long begin = Stopwatch.GetTimestamp();
        RiskReport report = RiskCalculator.Simulate(RiskCalculator.Calibrate(s_reportTime));
        IConfiguration configuration = new ConfigurationBuilder().AddEnvironmentVariables().Build();
        using CompareStore store = new(configuration.GetConnectionString("Bank"));
        await using BankProcess runtime = await BankProcess.StartAsync(PoolKind.Runtime, store, report.Paths, cancellationToken);
        await using BankProcess adaptive = await BankProcess.StartAsync(PoolKind.Adaptive, store, report.Paths, cancellationToken);
        Comparison comparison = new(options, runtime, adaptive, Workloads.All(report), Workloads.Starved);
        await CompareProgress.RunAsync(progress => comparison.RunAsync(progress, cancellationToken));
        AnsiConsole.Write(ComparisonTable.Create(comparison.Rows));
        AnsiConsole.WriteLine(
            $"starved: /hello gets a request every {StarvedLoad.Period.TotalMilliseconds:0} ms, while {Workloads.Starved.AllClients} connections send requests to /partner and /legacy all the time.");
        AnsiConsole.WriteLine("> marks a lower bound: some requests had no answer at the end, or full speed was not reached in that time.");
        AnsiConsole.MarkupLineInterpolated(
            $"{Environment.ProcessorCount} processors, {store.Name}. All {comparison.AnswerCount:#,0} answers were correct, and no money was lost. The comparison took {Stopwatch.GetElapsedTime(begin).TotalSeconds:0} s.");
    }

    private static PosixSignalRegistration Register(PosixSignal signal, CancellationTokenSource interrupt)
        => PosixSignalRegistration.Create(signal, context =>
        {
            // The process ends by itself once the children and the files are gone.
            context.Cancel = true;
            interrupt.Cancel();
        });
}
