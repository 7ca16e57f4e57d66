using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>One owner, one or two thieves, two slots at first.</summary>
internal static class WorkStealingQueuePrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("deque: last item", LastItem, Bounds.Default),
        new("deque: pops and steals", static () => PopsAndSteals(2), Bounds.Long),
        new("deque: push after a pop", PushAfterPop, Bounds.Long),
        new("deque: growth", static () => Growth(2), Bounds.Default),
        new("deque: slots written again", Wrap, Bounds.Default),
        new("deque: trim", Trim, Bounds.Default),
        new("deque: wanted item, the newest", static () => Wanted("a", "b"), Bounds.Default),
        new("deque: wanted item, the oldest", static () => Wanted("b", "a"), Bounds.Default),
        new("deque: one slot, pops and steals", static () => PopsAndSteals(1), Bounds.Long),
        new("deque: one slot, growth", static () => Growth(1), Bounds.Default),
        new("deque: four slots, pops and steals", static () => PopsAndSteals(4), Bounds.Long),
        new("deque: four slots, written again", FourWrittenAgain, Bounds.Long),
        new("deque: four slots, growth", FourGrow, Bounds.Long),
        new("deque: in order, takes and steals", static () => InOrder(2), Bounds.Long),
        new("deque: in order, one slot", static () => InOrder(1), Bounds.Long),
        new("deque: in order, slots written again", InOrderWrittenAgain, Bounds.Long),
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

    private static ModelProgram PopsAndSteals(int capacity)
    {
        WorkStealingQueue<ModelSync> queue = Used(capacity);
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

    private static ModelProgram Growth(int capacity)
    {
        WorkStealingQueue<ModelSync> queue = Used(capacity);
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

    private static ModelProgram Wanted(string first, string second)
    {
        WorkStealingQueue<ModelSync> queue = Used();
        object wanted = "b";
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    queue.Push(first);
                    queue.Push(second);
                    ledger.Take(0, queue.TryRemove(wanted) ? wanted : null);
                },
                () => ledger.Take(1, queue.TrySteal()),
            ],
            () => ledger.RequireAll(["a", "b"], Rest(queue)));
    }

    // Full at the start: what the owner pushes goes where a thief may still be reading.
    private static ModelProgram FourWrittenAgain()
    {
        WorkStealingQueue<ModelSync> queue = Full(4);
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    ledger.Take(0, queue.TryPop());
                    queue.Push("e");
                    queue.Push("f");
                },
                () => ledger.Take(1, queue.TrySteal()),
                () => ledger.Take(2, queue.TrySteal()),
            ],
            () => ledger.RequireAll(["a", "b", "c", "d", "e", "f"], Rest(queue)));
    }

    private static ModelProgram FourGrow()
    {
        WorkStealingQueue<ModelSync> queue = Full(4);
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    queue.Push("e");
                    ledger.Take(0, queue.TryPop());
                },
                () => ledger.Take(1, queue.TrySteal()),
                () => ledger.Take(2, queue.TrySteal()),
            ],
            () => ledger.RequireAll(["a", "b", "c", "d", "e"], Rest(queue)));
    }

    private static ModelProgram InOrder(int capacity)
    {
        WorkStealingQueue<ModelSync> queue = Used(capacity);
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    queue.Push("a");
                    queue.Push("b");
                    ledger.Take(0, queue.TryPopOldest());
                    queue.Push("c");
                },
                () =>
                {
                    ledger.Take(1, queue.TrySteal());
                    ledger.Take(1, queue.TrySteal());
                },
            ],
            () => RequireInOrder(queue, ledger, ["a", "b", "c"], takers: 2));
    }

    // Full at the start: the owner empties the slot that it takes, and writes it again.
    private static ModelProgram InOrderWrittenAgain()
    {
        WorkStealingQueue<ModelSync> queue = Used();
        queue.Push("a");
        queue.Push("b");
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    ledger.Take(0, queue.TryPopOldest());
                    queue.Push("c");
                    ledger.Take(0, queue.TryPopOldest());
                    queue.Push("d");
                },
                () => ledger.Take(1, queue.TrySteal()),
                () =>
                {
                    ledger.Take(2, queue.TrySteal());
                    ledger.Take(2, queue.TrySteal());
                },
            ],
            () => RequireInOrder(queue, ledger, ["a", "b", "c", "d"], takers: 3));
    }

    private static void RequireInOrder(WorkStealingQueue<ModelSync> queue, Ledger ledger, string[] items, int takers)
    {
        ledger.RequireAll(items, Rest(queue));
        ModelFailureException.Require(queue.IsEmpty && queue.Count == 0, "an empty queue counts items");
        for (int taker = 0; taker < takers; taker++)
        {
            ModelFailureException.Require(ledger.By(taker).Cast<string>().SequenceEqual(ledger.By(taker).Cast<string>().Order(StringComparer.Ordinal)),
                "an item overtook another");
        }
    }

    private static WorkStealingQueue<ModelSync> Full(int capacity)
    {
        WorkStealingQueue<ModelSync> queue = Used(capacity);
        foreach (string item in new[] { "a", "b", "c", "d" })
        {
            queue.Push(item);
        }

        return queue;
    }

    // The first lap is over: every slot has been written and read.
    private static WorkStealingQueue<ModelSync> Used(int capacity = 2)
    {
        var queue = new WorkStealingQueue<ModelSync>(capacity);
        for (int i = 0; i < capacity; i++)
        {
            queue.Push("old");
        }

        if (capacity > 1)
        {
            queue.TryPop();
        }

        while (queue.TrySteal() is not null)
        {
            // Moves top, too.
        }

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
