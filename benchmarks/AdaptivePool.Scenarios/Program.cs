using System.Runtime.InteropServices;
using AdaptivePool.Scenarios.Golden;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Losses;
using AdaptivePool.Scenarios.Pictures;
using AdaptivePool.Simulation.Replay;

const int UsageError = 2;
if (args is [ChildEntry.Verb, var request])
{
    return ChildEntry.Run(request);
}

if (args is [ReplayCommand.Verb, .. var rest])
{
    return ReplayCommand.Run(rest, Console.Out, Console.Error);
}

if (args is [GoldenCommand.Verb, .. var golden])
{
    return GoldenCommand.Run(golden, Console.Out, Console.Error);
}

if (args is [LossCommand.Verb, .. var loss])
{
    return LossCommand.Run(loss, Console.Out, Console.Error);
}

if (args is [PictureCommand.Verb, .. var pictured])
{
    return PictureCommand.Run(pictured, Console.Error);
}

using CancellationTokenSource stop = new();
void Stop(PosixSignalContext context)
{
    context.Cancel = true;
    stop.Cancel();
}

using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
try
{
    RunOptions? options = new RunOptionsParser().Parse(args);
    if (options is null)
    {
        return 0;
    }

    if (options.Name == "list")
    {
        ScenarioCatalog.Print(Console.Out);
        return 0;
    }

    return await new ScenarioRunner(ScenarioCatalog.Find(options.Name), options).RunAsync(stop.Token);
}
catch (UsageException exception)
{
    Console.Error.WriteLine(exception.Message);
    return UsageError;
}
catch (ScenarioUnavailableException exception)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}
catch (OperationCanceledException)
{
    return 130;
}
