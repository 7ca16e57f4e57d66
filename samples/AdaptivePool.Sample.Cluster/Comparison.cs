using System.Globalization;
using AdaptivePool.Hosting;
using Spectre.Console;

namespace AdaptivePool.Sample.Cluster;

/// <summary>Runs each policy before a small and a large backend, in turns, and prints what clients saw.</summary>
internal sealed class Comparison(ClusterArguments arguments, TextWriter output)
{
    /// <summary>Threads of the backends, of 10 transfers a second each: 150 and 600 a second.</summary>
    private const string Small = "15";
    private const string Large = "60";

    private readonly Dictionary<string, List<OpenLoop>> _runs = new(StringComparer.Ordinal);

    public async Task<int> RunAsync()
    {
        if (arguments.Front == "haproxy")
        {
            HaproxyFront.Find();
        }

        output.WriteLine($"A small bank (150 transfers a second) and a large one (600) behind {arguments.Front}; {arguments.Rate} requests a second for "
            + $"{arguments.Seconds} s.");
        for (int round = 0; round < arguments.Rounds; round++)
        {
            // A B C, C B A, ...: what changes on the machine meanwhile meets all alike.
            foreach (string policy in round % 2 == 0 ? arguments.Policies : arguments.Policies.Reverse())
            {
                OpenLoop load = await RunAsync(policy, round);
                output.WriteLine(string.Create(
                    CultureInfo.InvariantCulture,
                    $"  {policy}, round {round + 1}: p90 {load.Percentile(0.9):0} ms, p99 {load.Percentile(0.99):0} ms, {load.Refused} refused, {load.Failed} "
                        + $"failed"));
                if (!_runs.TryGetValue(policy, out List<OpenLoop>? runs))
                {
                    _runs[policy] = runs = [];
                }

                runs.Add(load);
            }
        }

        Print();
        return _runs.Values.SelectMany(r => r).Sum(r => r.Failed) == 0 ? 0 : 1;
    }

    private async Task<OpenLoop> RunAsync(string policy, int round)
    {
        string rule = policy == nameof(Yarp.CollaborativePolicies.CollaborativeRoundRobin) ? nameof(OverloadRule.Growth) : nameof(OverloadRule.Target);
        int[] agents = [HaproxyFront.FreePort(), HaproxyFront.FreePort()];
        await using Child small = await Child.StartAsync(Backend.Verb, "small", Small, rule, agents[0].ToString(CultureInfo.InvariantCulture));
        await using Child large = await Child.StartAsync(Backend.Verb, "large", Large, rule, agents[1].ToString(CultureInfo.InvariantCulture));
        if (arguments.Front == "yarp")
        {
            await using Child front = await Child.StartAsync(YarpFront.Verb, policy, small.Said, large.Said);
            return await LoadAsync(front.Said, round);
        }

        await using HaproxyFront haproxy = await HaproxyFront.StartAsync(policy, [(new Uri(small.Said), agents[0]), (new Uri(large.Said), agents[1])]);
        return await LoadAsync(haproxy.Url, round);
    }

    private async Task<OpenLoop> LoadAsync(string url, int round)
    {
        // First requests are compiled, and do not count; at a rate that neither backend minds.
        await new OpenLoop(url, rate: 50).RunAsync(TimeSpan.FromSeconds(1), seed: 0);
        OpenLoop load = new(url, arguments.Rate);
        await load.RunAsync(TimeSpan.FromSeconds(arguments.Seconds), seed: round + 1);
        return load;
    }

    private void Print()
    {
        Table table = new() { Border = TableBorder.Simple };
        table.AddColumn("policy");
        foreach (string column in new[] { "p50 ms", "p90 ms", "p90 min - max", "p99 ms", "refused", "failed" })
        {
            table.AddColumn(new TableColumn(column).RightAligned());
        }

        foreach ((string policy, List<OpenLoop> runs) in _runs)
        {
            IEnumerable<double> p90 = runs.Select(r => r.Percentile(0.9));
            table.AddRow(
                policy,
                Text(Median(runs, 0.5)),
                Text(Median(runs, 0.9)),
                $"{Text(p90.Min())} - {Text(p90.Max())}",
                Text(Median(runs, 0.99)),
                Text(runs.Average(r => r.Refused)),
                Text(runs.Average(r => r.Failed)));
        }

        AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(output), Ansi = AnsiSupport.No }).Write(table);
    }

    private static double Median(List<OpenLoop> runs, double share)
    {
        double[] sorted = [.. runs.Select(r => r.Percentile(share)).Order()];
        return sorted[sorted.Length / 2];
    }

    private static string Text(double value) => value.ToString("0", CultureInfo.InvariantCulture);
}
