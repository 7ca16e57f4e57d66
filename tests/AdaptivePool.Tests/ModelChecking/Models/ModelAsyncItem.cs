using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>An asynchronous function as a work item as it is, but for the task that its caller holds: here it is a list of what ended it.</summary>
internal sealed class ModelAsyncItem(Func<Task> function, PoolEnd<ModelSync>? end, CancellationToken cancellationToken)
    : AsyncItem<ModelSync>(s_owner, cancellationToken)
{
    /// <summary>Gives a flow and a context to the function, and runs nothing.</summary>
    private static readonly WorkClass s_owner = Owners();

    /// <summary>How often the function was called.</summary>
    public int Calls { get; private set; }

    /// <summary>Each end that the caller was told of.</summary>
    public List<string> Ends { get; } = [];

    /// <summary>What follows the caller's await.</summary>
    public Action OnCompleted { get; init; } = static () => { };

    protected override PoolEnd<ModelSync> End => end!;

    /// <summary>Throws unless the caller was told once, and of what happened.</summary>
    public void RequireOneEnd() => ModelFailureException.Require(
        Ends.Count == 1 && Calls == (Ends[0] == "completed" ? 1 : 0),
        $"called {Calls} times, and ended as: {string.Join(", ", Ends)}");

    protected override Task Call()
    {
        Calls++;
        return function();
    }

    protected override void Complete(Task task)
    {
        Ends.Add("completed");
        OnCompleted();
    }

    protected override void Cancel(CancellationToken cancellationToken) => Ends.Add("cancelled");

    protected override void Fail(Exception exception) => Ends.Add("refused");

    private static WorkClass Owners()
    {
        using var pool = new AdaptiveThreadPool();
        return pool.DefaultClass;
    }
}
