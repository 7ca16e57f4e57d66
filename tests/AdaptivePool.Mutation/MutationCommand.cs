using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using AdaptivePool.Mutation.Running;
using AdaptivePool.Mutation.Schemata;

namespace AdaptivePool.Mutation;

/// <summary>Mutates the core and what stands on it, learns what tests reach, tries a sample and tells what lives.</summary>
internal static class MutationCommand
{
    private const int AllKilled = 0;
    private const int SomeAlive = 1;
    private const int Misused = 2;

    /// <summary>Runs the program.</summary>
    /// <returns>0: what lives is known to be harmless; 1: something else lives; 2: the command line is wrong, or the tests are not built.</returns>
    public static int Run(string[] arguments, TextWriter output)
    {
        if (arguments is [HostProtocol.Command, .. var rest])
        {
            return TestHost.Run(rest);
        }

        try
        {
            return Run(MutationOptions.Parse(arguments), output);
        }
        catch (FormatException exception)
        {
            output.WriteLine($"{exception.Message} Usage: {MutationOptions.Usage}");
            return Misused;
        }
        catch (MutationException exception)
        {
            output.WriteLine(exception.Message);
            return Misused;
        }
        catch (AggregateException exception) when (exception.InnerException is MutationException inner)
        {
            output.WriteLine(inner.Message);
            return Misused;
        }
    }

    private static int Run(MutationOptions options, TextWriter output)
    {
        long start = Stopwatch.GetTimestamp();
        IReadOnlyDictionary<string, string> harmless = HarmlessMutants.Read(Path.Combine(AppContext.BaseDirectory, "Harmless.txt"));
        Workplace place = Workplace.Prepare(options.Suite);
        IReadOnlyList<Mutant> all = MutatedBuild.Write(Workplace.Root, path => Scope.Has(path) && options.HasFile(path), place.Folder, output);
        Mutant[] sample = Choose(all, options);
        if (sample.Length == 0)
        {
            throw new MutationException("There is nothing to mutate: no name in the scope begins as --only says.");
        }

        TellWhatIsGone(harmless.Keys.Where(k => options.Has(k)), all, output);
        if (options.IsList)
        {
            Array.ForEach(sample, m => output.WriteLine($"{m.Line}: {m.Key}"));
            return AllKilled;
        }

        string filters = string.Join('\n', options.Tests);
        string coverageFile = place.FileFor("coverage", filters);
        string resultFile = place.FileFor("results", string.Create(CultureInfo.InvariantCulture, $"{filters}\n{options.BudgetSeconds}"));
        if (options.IsFresh)
        {
            File.Delete(coverageFile);
            File.Delete(resultFile);
        }

        Coverage coverage = Coverage.Learn(place, coverageFile, all.Count, options.Processes, [.. options.Tests]);
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{coverage.Count} test cases in {coverage.TotalSeconds:0} s; {seconds:0} s until here"));
        foreach (TestId failing in coverage.Failing)
        {
            output.WriteLine($"fails without a mutant, and is left out: {failing.Name}");
        }

        var results = new ResultFile(resultFile);
        var trial = new MutantTrial(place, coverage, options.BudgetSeconds);
        bool isEnding = false;
        using var termination = PosixSignalRegistration.Create(PosixSignal.SIGTERM, context =>
        {
            context.Cancel = true;
            Volatile.Write(ref isEnding, true);
        });
        bool IsTime() => Stopwatch.GetElapsedTime(start).TotalMinutes < options.Minutes && !Volatile.Read(ref isEnding);
        Parallel.ForEach(sample.Where(m => results.Of(m) is null), new ParallelOptions { MaxDegreeOfParallelism = options.Processes }, (mutant, state) =>
        {
            if (!IsTime())
            {
                state.Stop();
                return;
            }

            results.Add(mutant, trial.Run(mutant));
        });

        return Report.Write(output, sample, results, harmless, options.Seed, Stopwatch.GetElapsedTime(start)) ? AllKilled : SomeAlive;
    }

    private static void TellWhatIsGone(IEnumerable<string> names, IReadOnlyList<Mutant> all, TextWriter output)
    {
        foreach (string name in names.Except(all.Select(static m => m.Key), StringComparer.Ordinal))
        {
            output.WriteLine($"Harmless.txt names a mutant that is no more: {name}");
        }
    }

    /// <summary>Those with the smallest hash of seed and name: an edit elsewhere does not change what is drawn.</summary>
    private static Mutant[] Choose(IReadOnlyList<Mutant> all, MutationOptions options)
    {
        string Hash(Mutant mutant)
        {
            string text = string.Create(CultureInfo.InvariantCulture, $"{options.Seed} {mutant.Key}");
            return Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(text)));
        }

        IEnumerable<Mutant> wanted = all.Where(m => options.Has(m.Key));
        return options.Sample == 0 ? [.. wanted] : [.. wanted.OrderBy(Hash, StringComparer.Ordinal).Take(options.Sample)];
    }
}
