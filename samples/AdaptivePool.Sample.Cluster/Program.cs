using System.Globalization;
using AdaptivePool.Sample.Cluster;

const int UsageError = 2;
try
{
    switch (args)
    {
        case [Backend.Verb, var name, var threads, var rule, var agentPort]:
            await Backend.RunAsync(name, int.Parse(threads, CultureInfo.InvariantCulture), rule, int.Parse(agentPort, CultureInfo.InvariantCulture));
            return 0;
        case [YarpFront.Verb, var policy, .. var backends]:
            await YarpFront.RunAsync(policy, backends);
            return 0;
        case ["--help" or "-h" or "-?"]:
            Console.WriteLine(ClusterArguments.Usage);
            return 0;
        default:
            return await new Comparison(ClusterArguments.Parse(args), Console.Out).RunAsync();
    }
}
catch (UsageException exception)
{
    Console.Error.WriteLine(exception.Message);
    return UsageError;
}
