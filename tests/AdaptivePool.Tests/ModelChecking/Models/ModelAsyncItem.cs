using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Items;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>An asynchronous function as a work item as it is, but for the task that its caller holds: here it is a list of what ended it.</summary>
internal sealed class ModelAsyncItem : IAsyncItem<ModelSync>
{
    /// <summary>Gives a flow and a context to the function, and runs nothing.</summary>
    private static readonly WorkClass s_owner = Owners();

    private readonly Func<Task> _function;
    private readonly PoolEnd<ModelSync>? _end;
    private AsyncItem<ModelSync> _common;
    private Task? _running;

    public ModelAsyncItem(Func<Task> function, PoolEnd<ModelSync>? end, CancellationToken cancellationToken)
    {
        (_function, _end, _common) = (function, end, new AsyncItem<ModelSync>(s_owner));
        _common.EndWith(cancellationToken, this);
    }

    /// <summary>How often the function was called.</summary>
    public int Calls { get; private set; }

    /// <summary>Each end that the caller was told of.</summary>
    public List<string> Ends { get; } = [];

    /// <summary>What follows the caller's await.</summary>
    public Action OnCompleted { get; init; } = static () => { };

    public ref AsyncItem<ModelSync> Common => ref _common;

    public PoolEnd<ModelSync> End => _end!;

    public Task Running => _running!;

    public void Execute() => _common.Execute(this);

    public void Refuse(WorkRefusedException refusal) => _common.Refuse(refusal, this);

    /// <summary>Throws unless the caller was told once, and of what happened.</summary>
    public void RequireOneEnd() => ModelFailureException.Require(
        Ends.Count == 1 && Calls == (Ends[0] == "completed" ? 1 : 0),
        $"called {Calls} times, and ended as: {string.Join(", ", Ends)}");

    public void Call()
    {
        Calls++;
        _running = _function();
    }

    public void Complete()
    {
        Ends.Add("completed");
        OnCompleted();
    }

    public void Cancel(CancellationToken cancellationToken) => Ends.Add("cancelled");

    public void Fail(Exception exception) => Ends.Add("refused");

    private static WorkClass Owners()
    {
        using var pool = new AdaptiveThreadPool();
        return pool.DefaultClass;
    }
}
