namespace AdaptivePool.Tests.Contracts.Parity;

/// <summary>The cases, a file for each field.</summary>
internal static partial class ParityCases
{
    /// <summary>For cases that wait for a timer or a thread.</summary>
    private const int Few = 24;

    private static readonly AsyncLocal<string?> s_local = new();

    // Not one by name: where the system has no data for cultures there is none.
    private static readonly System.Globalization.CultureInfo s_culture =
        (System.Globalization.CultureInfo)System.Globalization.CultureInfo.InvariantCulture.Clone();

    public static IReadOnlyDictionary<string, ParityCase> All { get; } =
        new[] { TasksCases, AsyncFunctionsCases, ContinuationsCases, FactoriesCases, CancellationCases, PairsCases, ContextsCases, FlowCases, ChannelsCases,
            ParallelCases, DataflowCases, StreamsCases, TimersCases, WaitsCases }
            .SelectMany(static cases => cases)
            .ToDictionary(static item => item.Name, StringComparer.Ordinal);

    /// <summary>Waits for the task and tells how it ended.</summary>
    private static async Task<string> End(Task task)
    {
        await task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        return Describe(task);
    }

    private static string Describe(Task task) => task.Exception is { } exception
        ? $"{task.Status} {string.Join(", ", exception.InnerExceptions.Select(Describe))}"
        : task.Status.ToString();

    private static string Describe(Exception exception) => $"{exception.GetType().Name}: {exception.Message}";

    /// <summary>Waits for the task and tells what an await of it throws.</summary>
    private static async Task<string> Thrown(Task task, CancellationToken mine = default)
    {
        try
        {
            await task;
            return "nothing";
        }
        catch (OperationCanceledException exception)
        {
            return $"{task.Status} {exception.GetType().Name} {(exception.CancellationToken == mine ? "mine" : "another")} inner "
                + $"{exception.InnerException?.GetType().Name ?? "none"}";
        }
        catch (Exception exception)
        {
            return $"{task.Status} {Describe(exception)}";
        }
    }

    private static CancellationToken Cancelled() => new(canceled: true);
}
