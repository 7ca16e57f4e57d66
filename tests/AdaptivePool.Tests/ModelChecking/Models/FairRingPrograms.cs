using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>One owner, two takers, two slots.</summary>
internal static class FairRingPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("ring: pushes and takes", static () => PushesAndTakes(2), Bounds.Long),
        new("ring: owner takes too", OwnerTakes, Bounds.Long),
        new("ring: full", Full, Bounds.Long),
        new("ring: four slots, pushes and takes", static () => PushesAndTakes(4), Bounds.Long),
        new("ring: four slots, full", FullFour, Bounds.Long),
    ];

    private static ModelProgram PushesAndTakes(int capacity)
    {
        FairRing<ModelSync> ring = Used(capacity);
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    Push(ring, ledger, "a");
                    Push(ring, ledger, "b");
                },
                () =>
                {
                    ledger.Take(1, ring.TryTake());
                    ledger.Take(1, ring.TryTake());
                },
                () => ledger.Take(2, ring.TryTake()),
            ],
            () => Require(ring, ledger, "a", "b"));
    }

    private static ModelProgram OwnerTakes()
    {
        FairRing<ModelSync> ring = Used();
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    Push(ring, ledger, "a");
                    ledger.Take(0, ring.TryTake());
                    Push(ring, ledger, "b");
                },
                () => ledger.Take(1, ring.TryTake()),
                () => ledger.Take(2, ring.TryTake()),
            ],
            () => Require(ring, ledger, "a", "b"));
    }

    private static ModelProgram Full()
    {
        FairRing<ModelSync> ring = Used();
        ring.TryPush("a");
        ring.TryPush("b");
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    Push(ring, ledger, "c");
                    Push(ring, ledger, "d");
                },
                () => ledger.Take(1, ring.TryTake()),
                () =>
                {
                    ledger.Take(2, ring.TryTake());
                    ledger.Take(2, ring.TryTake());
                },
            ],
            () => Require(ring, ledger, "a", "b", "c", "d"));
    }

    private static ModelProgram FullFour()
    {
        FairRing<ModelSync> ring = Used(4);
        foreach (string item in new[] { "a", "b", "c", "d" })
        {
            ring.TryPush(item);
        }

        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    Push(ring, ledger, "e");
                    Push(ring, ledger, "f");
                },
                () => ledger.Take(1, ring.TryTake()),
                () =>
                {
                    ledger.Take(2, ring.TryTake());
                    ledger.Take(2, ring.TryTake());
                },
            ],
            () => Require(ring, ledger, "a", "b", "c", "d", "e", "f"));
    }

    // What does not fit stays with the owner, as an item that spills to another queue.
    private static void Push(FairRing<ModelSync> ring, Ledger ledger, string item)
    {
        if (!ring.TryPush(item))
        {
            ledger.Note(3, item);
        }
    }

    private static void Require(FairRing<ModelSync> ring, Ledger ledger, params string[] items)
    {
        List<object> left = [];
        while (ring.TryTake() is { } item)
        {
            left.Add(item);
        }

        ledger.RequireAll(items, left);
        ModelFailureException.Require(ring.IsEmpty && ring.Count == 0, "an empty ring counts items");
        for (int taker = 1; taker <= 2; taker++)
        {
            ModelFailureException.Require(ledger.By(taker).Cast<string>().SequenceEqual(ledger.By(taker).Cast<string>().Order(StringComparer.Ordinal)),
                "an item overtook another");
        }
    }

    private static FairRing<ModelSync> Used(int capacity = 2)
    {
        var ring = new FairRing<ModelSync>(capacity);
        for (int i = 0; i <= capacity; i++)
        {
            ring.TryPush("old");
            ring.TryTake();
        }

        return ring;
    }
}
