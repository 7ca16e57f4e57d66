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
        new("lanes: two take high work", HighCounted, Bounds.Default),
    ];

    private static ModelProgram CreatedTwice() =>
        Both(static lanes => lanes.Enqueue("a", WorkPriority.High), static lanes => lanes.Enqueue("b", WorkPriority.High));

    private static ModelProgram FirstRoutes() => Both(static lanes => lanes.EnqueueAt(0, "a"), static lanes => lanes.EnqueueAt(1, "b"));

    // Two add at once, and a third one takes.
    private static ModelProgram Both(Action<PriorityLanes<ModelSync>> addsFirst, Action<PriorityLanes<ModelSync>> addsSecond)
    {
        var lanes = new PriorityLanes<ModelSync>();
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () => addsFirst(lanes),
                () => addsSecond(lanes),
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

    private static ModelProgram Turn(WorkPriority priority, int before) =>
        Turn(static lanes => lanes.Enqueue("usual", WorkPriority.High), lanes => lanes.Enqueue("other", priority), before);

    // Every sixteenth look of a group begins with another one.
    private static ModelProgram OtherGroup() => Turn(static lanes => lanes.EnqueueAt(0, "usual"), static lanes => lanes.EnqueueAt(1, "other"), before: 14);

    // Of two takers at once one has the turn, whatever else waits.
    private static ModelProgram Turn(Action<PriorityLanes<ModelSync>> addUsual, Action<PriorityLanes<ModelSync>> addOther, int before)
    {
        var lanes = new PriorityLanes<ModelSync>();
        var ledger = new Ledger();
        for (int i = 0; i < before + 2; i++)
        {
            addUsual(lanes);
        }

        for (int i = 0; i < before; i++)
        {
            lanes.TryDequeue(out _);
        }

        addOther(lanes);
        void Take(int thread)
        {
            lanes.TryDequeue(out object? item);
            ledger.Take(thread, item);
        }

        return new ModelProgram([() => Take(0), () => Take(1)], () => ledger.RequireAll(["usual", "other"], []));
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
        lanes.Ages.Look(0, 0, 0, TimeSpan.Zero);
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

    // The waits of a priority are known from what was taken of it: each taker counts.
    private static ModelProgram HighCounted()
    {
        var lanes = new PriorityLanes<ModelSync>();
        var ledger = new Ledger();
        lanes.Enqueue("high", WorkPriority.High);
        lanes.Enqueue("high too", WorkPriority.High);
        void Take(int thread)
        {
            lanes.TryDequeue(out object? item);
            ledger.Take(thread, item);
        }

        return new ModelProgram(
            [() => Take(0), () => Take(1)],
            () =>
            {
                ledger.RequireAll(["high", "high too"], []);
                (int taken, int waiting) = lanes.CountsOf(WorkPriority.High);
                ModelFailureException.Require(waiting == 0 && taken == 2, $"{waiting} wait and {taken} were taken of two that were taken");
            });
    }
}
