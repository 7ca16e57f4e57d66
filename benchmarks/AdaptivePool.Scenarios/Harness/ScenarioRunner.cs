using System.Globalization;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>Runs a scenario: every case, rounds interleaved over the pools.</summary>
public sealed class ScenarioRunner(Scenario scenario, RunOptions options)
{
    private readonly OtherLoad _otherLoad = new();

    /// <summary>Runs the scenario, prints the table and writes the result file. Returns the exit code: 0; 1 if a round failed; 130 if interrupted.</summary>
    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        scenario.Configure(options);
        IReadOnlyList<ScenarioCase> cases = ScenarioCatalog.ChooseCases(scenario, options);
        foreach (string pool in options.Pools)
        {
            scenario.CheckPool(pool);
        }

        if (options.Json is { } path && Path.GetDirectoryName(Path.GetFullPath(path)) is { } folder && !Directory.Exists(folder))
        {
            throw new UsageException($"--json {path}: the folder {folder} does not exist.");
        }

        ResultSet results = new(scenario);
        List<string> failures = [];
        bool interrupted = false;
        ProgressLine progress = new(cases.Sum(c => RoundsOf(c) * PoolsOf(c).Count));
        await using (ScenarioEnvironment environment = await scenario.PrepareAsync(cases, progress.Say, cancellationToken))
        {
            if (scenario.LoadsMachine)
            {
                environment.Settings[CpuBurner.SettingName] = CpuBurner.Calibrate().ToString("R", CultureInfo.InvariantCulture);
            }

            try
            {
                foreach (ScenarioCase scenarioCase in cases)
                {
                    await RunCaseAsync(scenarioCase, environment, results, failures, progress, cancellationToken);
                }
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                interrupted = true;
            }
        }

        progress.Close();
        scenario.Derive(results);
        scenario.Print(results);
        if (_otherLoad.Summary() is { } note)
        {
            Console.Out.WriteLine(note);
        }

        if (options.Json is not null)
        {
            ResultFile.Write(options.Json, results.Cells);
        }

        foreach (string failure in failures)
        {
            Console.Error.WriteLine($"FAILED {failure}");
        }

        return interrupted ? 130 : failures.Count > 0 ? 1 : 0;
    }

    private async Task RunCaseAsync(
        ScenarioCase scenarioCase,
        ScenarioEnvironment environment,
        ResultSet results,
        List<string> failures,
        ProgressLine progress,
        CancellationToken cancellationToken)
    {
        if (environment.WhySkipped(scenarioCase) is { } why)
        {
            progress.Say($"SKIPPED {scenario.Name} {scenarioCase.Name}: {why}");
            return;
        }

        List<string> pools = [];
        foreach (string pool in PoolsOf(scenarioCase))
        {
            if (environment.WhySkipped(pool) is { } whyNot)
            {
                progress.Say($"SKIPPED {scenario.Name} {scenarioCase.Name}, {pool}: {whyNot}");
            }
            else
            {
                pools.Add(pool);
            }
        }

        int rounds = RoundsOf(scenarioCase);
        for (int round = 0; round < rounds; round++)
        {
            IEnumerable<string> order = round % 2 == 0 ? pools : Enumerable.Reverse(pools);
            foreach (string pool in order)
            {
                progress.Begin($"{scenario.Name} {scenarioCase.Name}, {pool}, round {round + 1} of {rounds}");
                try
                {
                    await environment.BeforeRoundAsync(scenarioCase, cancellationToken);
                    if (scenario.LoadsMachine)
                    {
                        await _otherLoad.LookAsync(cancellationToken);
                    }

                    RoundContext context = new(scenario, scenarioCase, pool, round, options.Quick, environment);
                    foreach (MeasuredValue measured in await scenario.MeasureAsync(context, cancellationToken))
                    {
                        results.Add(scenarioCase.Name, pool, measured);
                    }
                }
                catch (Exception exception) when (exception is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
                {
                    failures.Add($"{scenario.Name} {scenarioCase.Name}, {pool}, round {round + 1}: {exception.Message}");
                    progress.Say(failures[^1]);
                }
                finally
                {
                    await environment.AfterRoundAsync(scenarioCase);
                }

                progress.End();
            }
        }
    }

    private int RoundsOf(ScenarioCase scenarioCase) => options.Rounds ?? (options.Quick ? 1 : scenarioCase.DefaultRounds);

    private IReadOnlyList<string> PoolsOf(ScenarioCase scenarioCase) =>
        options.Pools.Count > 0 ? options.Pools : scenarioCase.DefaultPools ?? scenario.DefaultPools;
}
