using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The first use of a lane by two threads at once, and the turns of several takers; the queues inside are trusted.</summary>
internal static class PriorityLanesPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("lanes: created twice", CreatedTwice, Bounds.Default),
        new("lanes: the turn of normal work", static () => Turn(WorkPriority.Normal, before: 6), Bounds.Default),
        new("lanes: the turn of low work", static () => Turn(WorkPriority.Low, before: 14), Bounds.Default),
        new("lanes: two take normal work that is due", static () => Due(WorkPriority.Normal), Bounds.Default),
        new("lanes: the turn of another group's work", OtherGroup, Bounds.Default),
        new("lanes: two routes at once are the first", FirstRoutes, Bounds.Default),
        new("lanes: two take low work that is due", static () => Due(WorkPriority.Low), Bounds.Default),
    ];

    private static ModelProgram CreatedTwice()
    {
        var lanes = new PriorityLanes<ModelSync>();
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () => lanes.Enqueue("a", WorkPriority.High),
                () => lanes.Enqueue("b", WorkPriority.High),
                () =>
                {
                    lanes.TryDequeue(out object? item);
                    ledger.Take(2, item);
                },
            ],
            () =>
            {
                List<object> left = [];
                while (lanes.TryDequeue(out object? item))
                {
                    left.Add(item);
                }

                ledger.RequireAll(["a", "b"], left);
                ModelFailureException.Require(lanes.IsEmpty && lanes.Count == 0, "empty lanes count items");
            });
    }

    // Of two takers at once one has the turn, whatever else waits.
    private static ModelProgram Turn(WorkPriority priority, int before)
    {
        var lanes = new PriorityLanes<ModelSync>();
        var ledger = new Ledger();
        for (int i = 0; i < before + 2; i++)
        {
            lanes.Enqueue("high", WorkPriority.High);
        }

        for (int i = 0; i < before; i++)
        {
            lanes.TryDequeue(out _);
        }

        lanes.Enqueue("other", priority);
        void Take(int thread)
        {
            lanes.TryDequeue(out object? item);
            ledger.Take(thread, item);
        }

        return new ModelProgram([() => Take(0), () => Take(1)], () => ledger.RequireAll(["high", "other"], []));
    }

    // Every sixteenth look of a group begins with another one. Of two looks at once one has that turn.
    private static ModelProgram OtherGroup()
    {
        const int Before = 14;
        var lanes = new PriorityLanes<ModelSync>();
        var ledger = new Ledger();
        for (int i = 0; i < Before + 2; i++)
        {
            lanes.EnqueueAt(0, "own");
        }

        for (int i = 0; i < Before; i++)
        {
            lanes.TryDequeue(out _);
        }

        lanes.EnqueueAt(1, "other");
        void Take(int thread)
        {
            lanes.TryDequeue(out object? item);
            ledger.Take(thread, item);
        }

        return new ModelProgram([() => Take(0), () => Take(1)], () => ledger.RequireAll(["own", "other"], []));
    }

    private static ModelProgram FirstRoutes()
    {
        var lanes = new PriorityLanes<ModelSync>();
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () => lanes.EnqueueAt(0, "a"),
                () => lanes.EnqueueAt(1, "b"),
                () =>
                {
                    lanes.TryDequeue(out object? item);
                    ledger.Take(2, item);
                },
            ],
            () =>
            {
                List<object> left = [];
                while (lanes.TryDequeue(out object? item))
                {
                    left.Add(item);
                }

                ledger.RequireAll(["a", "b"], left);
                ModelFailureException.Require(lanes.IsEmpty && lanes.Count == 0, "empty lanes count items");
            });
    }

    // Each is counted: what has been taken is not due any more, or else it would push others aside that are not due.
    private static ModelProgram Due(WorkPriority priority)
    {
        var lanes = new PriorityLanes<ModelSync>();
        var ledger = new Ledger();
        lanes.Enqueue("high", WorkPriority.High);
        lanes.TryDequeue(out _);
        lanes.Enqueue("due", priority);
        lanes.Enqueue("due too", priority);
        lanes.KickUp(0, TimeSpan.Zero);
        void Take(int thread)
        {
            lanes.TryDequeue(out object? item);
            ledger.Take(thread, item);
        }

        return new ModelProgram(
            [() => Take(0), () => Take(1)],
            () =>
            {
                ledger.RequireAll(["due", "due too"], []);
                ModelFailureException.Require(lanes.DueCount == 0, $"{lanes.DueCount} are due that have been taken");
            });
    }
}
