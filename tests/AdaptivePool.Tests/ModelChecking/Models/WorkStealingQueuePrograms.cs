using AdaptivePool.Queues;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>One owner, one or two thieves, two slots at first.</summary>
internal static class WorkStealingQueuePrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("deque: last item", LastItem, Bounds.Default),
        new("deque: pops and steals", PopsAndSteals, Bounds.Long),
        new("deque: push after a pop", PushAfterPop, Bounds.Long),
        new("deque: growth", Growth, Bounds.Default),
        new("deque: slots written again", Wrap, Bounds.Default),
        new("deque: trim", Trim, Bounds.Default),
        new("deque: wanted item", Wanted, Bounds.Default),
    ];

    private static ModelProgram LastItem()
    {
        WorkStealingQueue<ModelSync> queue = Used();
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    queue.Push("a");
                    ledger.Take(0, queue.TryPop());
                },
                () => ledger.Take(1, queue.TrySteal()),
                () => ledger.Take(2, queue.TrySteal()),
            ],
            () => ledger.RequireAll(["a"], Rest(queue)));
    }

    private static ModelProgram PopsAndSteals()
    {
        WorkStealingQueue<ModelSync> queue = Used();
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    queue.Push("a");
                    queue.Push("b");
                    ledger.Take(0, queue.TryPop());
                    ledger.Take(0, queue.TryPop());
                },
                () => ledger.Take(1, queue.TrySteal()),
                () => ledger.Take(2, queue.TrySteal()),
            ],
            () => ledger.RequireAll(["a", "b"], Rest(queue)));
    }

    // A thief with an old bottom that took the popped item would move top past the next one.
    private static ModelProgram PushAfterPop()
    {
        WorkStealingQueue<ModelSync> queue = Used();
        queue.Push("a");
        queue.Push("b");
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    ledger.Take(0, queue.TryPop());
                    queue.Push("c");
                },
                () => ledger.Take(1, queue.TrySteal()),
                () => ledger.Take(2, queue.TrySteal()),
            ],
            () => ledger.RequireAll(["a", "b", "c"], Rest(queue)));
    }

    private static ModelProgram Growth()
    {
        WorkStealingQueue<ModelSync> queue = Used();
        queue.Push("a");
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    queue.Push("b");
                    queue.Push("c");
                    ledger.Take(0, queue.TryPop());
                },
                () => ledger.Take(1, queue.TrySteal()),
            ],
            () => ledger.RequireAll(["a", "b", "c"], Rest(queue)));
    }

    private static ModelProgram Wrap()
    {
        WorkStealingQueue<ModelSync> queue = Used();
        queue.Push("a");
        queue.Push("b");
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    ledger.Take(0, queue.TryPop());
                    queue.Push("c");
                    queue.Push("d");
                },
                () => ledger.Take(1, queue.TrySteal()),
            ],
            () => ledger.RequireAll(["a", "b", "c", "d"], Rest(queue)));
    }

    private static ModelProgram Trim()
    {
        var queue = new WorkStealingQueue<ModelSync>(2);
        foreach (string item in new[] { "x", "y", "z" })
        {
            queue.Push(item);
        }

        queue.TryPop();
        queue.TryPop();
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    ledger.Take(0, queue.TryPop());
                    queue.Trim();
                    queue.Push("a");
                    ledger.Take(0, queue.TryPop());
                    queue.Trim();
                    queue.Push("b");
                },
                () => ledger.Take(1, queue.TrySteal()),
            ],
            () => ledger.RequireAll(["x", "a", "b"], Rest(queue)));
    }

    private static ModelProgram Wanted()
    {
        WorkStealingQueue<ModelSync> queue = Used();
        object wanted = "b";
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    queue.Push("a");
                    queue.Push(wanted);
                    ledger.Take(0, queue.TryPop(wanted) ? wanted : null);
                },
                () => ledger.Take(1, queue.TrySteal()),
            ],
            () => ledger.RequireAll(["a", "b"], Rest(queue)));
    }

    // The first lap is over: every slot has been written and read.
    private static WorkStealingQueue<ModelSync> Used()
    {
        var queue = new WorkStealingQueue<ModelSync>(2);
        queue.Push("old");
        queue.Push("older");
        queue.TryPop();
        queue.TrySteal();
        return queue;
    }

    private static IEnumerable<object> Rest(WorkStealingQueue<ModelSync> queue)
    {
        while (queue.TrySteal() is { } item)
        {
            yield return item;
        }
    }
}
