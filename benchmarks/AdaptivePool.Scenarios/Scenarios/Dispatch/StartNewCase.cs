using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>A thread outside the pool starts tasks and waits for all of them.</summary>
public sealed class StartNewCase : DispatchCase
{
    private static readonly Action s_nothing = static () => { };
    private Task[] _tasks = [];

    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        if (_tasks.Length != items)
        {
            _tasks = new Task[items];
        }

        for (int i = 0; i < items; i++)
        {
            _tasks[i] = pool.Factory.StartNew(s_nothing);
        }

        return Task.WaitAll(_tasks, Limit) ? items : throw new TimeoutException($"Not all tasks ran within {Limit.TotalSeconds:0} s.");
    }
}
