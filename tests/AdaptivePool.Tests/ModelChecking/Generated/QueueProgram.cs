using System.Globalization;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking.Generated;

/// <summary>A program over one queue made of bytes: each operation belongs to the owner (push, pop) or to one of two thieves (steal).</summary>
internal static class QueueProgram
{
    private const int Owner = 0;
    private const int Thieves = 2;

    public static ModelProgram OfDeque(byte[] operations, byte setting)
    {
        var queue = new WorkStealingQueue<ModelSync>(1 << (setting % 3));
        return Create(operations, setting / 3, queue.Push, queue.TryPop, queue.TrySteal);
    }

    /// <summary>The owner takes the oldest, too.</summary>
    public static ModelProgram InOrder(byte[] operations, byte setting)
    {
        var queue = new WorkStealingQueue<ModelSync>(1 << (setting % 3));
        return Create(operations, setting / 3, queue.Push, queue.TryPopOldest, queue.TrySteal);
    }

    private static ModelProgram Create(byte[] operations, int before, Action<object> push, Func<object?> pop, Func<object?> steal)
    {
        var ledger = new Ledger();
        List<string> items = [];
        List<Action>[] threads = [[], [], []];
        string Next()
        {
            items.Add(items.Count.ToString(CultureInfo.InvariantCulture));
            return items[^1];
        }

        // Some items are there at the start, and some places have been used.
        for (int i = before % 5; i > 0; i--)
        {
            push(Next());
        }

        foreach (byte operation in operations)
        {
            switch (operation % 5)
            {
                case 0 or 1:
                    string item = Next();
                    threads[Owner].Add(() => push(item));
                    break;
                case 2:
                    threads[Owner].Add(() => ledger.Note(Owner, pop()));
                    break;
                default:
                    int thief = 1 + (operation / 5 % Thieves);
                    threads[thief].Add(() => ledger.Note(thief, steal()));
                    break;
            }
        }

        return new ModelProgram(
            [.. threads.Select<List<Action>, Action>(static own => () => own.ForEach(static operation => operation()))],
            () =>
            {
                List<object> left = [];
                while (steal() is { } item)
                {
                    left.Add(item);
                }

                ledger.RequireAll(items, left);
            });
    }
}
