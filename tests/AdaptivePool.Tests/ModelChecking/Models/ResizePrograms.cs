namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Limits raised and lowered, and workers retired, while work arrives.</summary>
internal static class ResizePrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("resize: raised", Raised, Bounds.Whole),
        new("resize: lowered and raised", LoweredAndRaised, Bounds.Whole),
        new("resize: lowered while two run", LoweredWhileTwoRun, Bounds.Whole),
        new("resize: a worker retires while work arrives", Retired, Bounds.Crowded),

        // The look of the one that ends may hide from the other for a moment that there is work.
        new("resize: a worker that has slept retires while work arrives", RetiredAtRest, Bounds.Longest),
    ];

    private static ModelProgram Raised()
    {
        var pool = new ModelPool(workers: 1, limit: 0, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueRoot("a"), () => pool.Resize(1)], () => pool.RequireDone("a"), pool.Dismiss);
    }

    private static ModelProgram LoweredAndRaised()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram(
            [
                () =>
                {
                    pool.Resize(0);
                    pool.Resize(1);
                },
                () => pool.QueueRoot("a"),
            ],
            () => pool.RequireDone("a"),
            pool.Dismiss);
    }

    // Both holders of a slot may give it up for the one that is too many; somebody must take it again.
    private static ModelProgram LoweredWhileTwoRun()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1);
        pool.QueueRoot("a");
        pool.QueueRoot("b");
        pool.QueueRoot("c");
        return new ModelProgram([() => pool.Resize(1)], () => pool.RequireDone("a", "b", "c"), pool.Dismiss);
    }

    // Of two workers one is told to end: the other takes what comes.
    private static ModelProgram Retired()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1);
        int retired = 0;
        return new ModelProgram(
            [() => retired = pool.Set.Retire(1), () => pool.QueueRoot("a")],
            () =>
            {
                pool.RequireDone("a");
                ModelFailureException.Require(pool.Set.Existing == 2 - retired, "a worker that was told to end has not, or the other has");
            },
            pool.Dismiss);
    }

    private static ModelProgram RetiredAtRest()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueRoot("a")], () => pool.RequireDone("a"), pool.Dismiss) { OnRest = () => pool.Set.Retire(1) };
    }
}
