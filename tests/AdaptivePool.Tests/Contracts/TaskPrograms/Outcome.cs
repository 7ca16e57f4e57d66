namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>Tells how tasks end, as a text.</summary>
internal static class Outcome
{
    /// <summary>How a task has ended: its status with its result, its exceptions or its token.</summary>
    /// <param name="task">The task.</param>
    /// <param name="mine">The token that it was started with.</param>
    public static string Of(Task task, CancellationToken mine = default) => task switch
    {
        { Exception: { } exception } => $"{task.Status} {Of(exception)}",
        { IsCanceled: true } => $"{task.Status} {OfCanceled(task, mine)}",
        Task<string> { IsCompleted: true } text => $"{task.Status} {text.Result}",
        Task<object> { IsCompleted: true } text => $"{task.Status} {text.Result}",
        _ => $"{task.Status}",
    };

    /// <summary>What was thrown. The order of several is that in which they came, which is by chance.</summary>
    public static string Of(Exception exception) => exception switch
    {
        AggregateException several => $"[{string.Join(", ", several.InnerExceptions.Select(Of).Order(StringComparer.Ordinal))}]",
        TaskStepException => exception.Message,
        _ => exception.GetType().Name,
    };

    private static string OfCanceled(Task task, CancellationToken mine)
    {
        try
        {
            task.GetAwaiter().GetResult();
            return "nothing";
        }
        catch (OperationCanceledException exception)
        {
            CancellationToken by = exception.CancellationToken;
            return by == CancellationToken.None ? "by none" : by == mine ? "by mine" : "by another";
        }
    }
}
