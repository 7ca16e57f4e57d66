namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Queued work finds a sleeping worker: no state in which all sleep and work is queued.</summary>
internal static class WakePrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("wake: one producer, two workers", OneProducer, Bounds.Longest),
        new("wake: two producers, one worker", TwoProducers, Bounds.Longest),
        new("wake: one slot, two workers", OneSlot, Bounds.Longest),
        new("wake: raised limit", RaisedLimit, Bounds.Longest),
        new("wake: going idle", GoingIdle, Bounds.Long),
        new("wake: slot given up", SlotGivenUp, Bounds.Long),
        new("wake: useless wake", UselessWake, Bounds.Default),
        new("wake: stop", Stop, Bounds.Longest),
    ];

    private static ModelProgram OneProducer()
    {
        var workers = new ModelWorkers(workers: 2, limit: 2);
        workers.LieDownAll();
        workers.QueueRoot("a");
        return new ModelProgram(
            [
                () => workers.Work(0, startsAsleep: true),
                () => workers.Work(1, startsAsleep: true),
                () => workers.QueueRoot("b"),
            ],
            () => workers.RequireDone("a", "b"),
            workers.Dismiss);
    }

    private static ModelProgram GoingIdle()
    {
        var workers = new ModelWorkers(workers: 1, limit: 1);
        return new ModelProgram([() => workers.Work(0), () => workers.QueueRoot("a")], () => workers.RequireDone("a"), workers.Dismiss);
    }

    private static ModelProgram TwoProducers()
    {
        var workers = new ModelWorkers(workers: 1, limit: 1);
        workers.LieDownAll();
        return new ModelProgram(
            [() => workers.Work(0, startsAsleep: true), () => workers.QueueRoot("a"), () => workers.QueueRoot("b")],
            () => workers.RequireDone("a", "b"),
            workers.Dismiss);
    }

    private static ModelProgram OneSlot()
    {
        var workers = new ModelWorkers(workers: 2, limit: 1);
        workers.LieDownAll();
        workers.QueueRoot("a");
        return new ModelProgram(
            [
                () => workers.Work(0, startsAsleep: true),
                () => workers.Work(1, startsAsleep: true),
                () => workers.QueueRoot("b"),
            ],
            () => workers.RequireDone("a", "b"),
            workers.Dismiss);
    }

    private static ModelProgram RaisedLimit()
    {
        var workers = new ModelWorkers(workers: 1, limit: 0);
        workers.LieDownAll();
        return new ModelProgram(
            [() => workers.Work(0, startsAsleep: true), () => workers.QueueRoot("a"), () => workers.Raise(1)],
            () => workers.RequireDone("a"),
            workers.Dismiss);
    }

    // The releaser goes on with something else, so that only its own look after the release can help.
    private static ModelProgram SlotGivenUp()
    {
        var workers = new ModelWorkers(workers: 1, limit: 1);
        workers.LieDownAll();
        workers.Limit.TryAcquire();
        return new ModelProgram(
            [() => workers.Work(0, startsAsleep: true), workers.GiveUpSlot, () => workers.QueueRoot("a")],
            () => workers.RequireDone("a"),
            workers.Dismiss);
    }

    // Another has taken the item, and the searcher lies down again while the next one is queued.
    private static ModelProgram UselessWake()
    {
        var workers = new ModelWorkers(workers: 1, limit: 1);
        workers.LieDownAll();
        workers.QueueRoot("a");
        workers.TakeOne(1);
        return new ModelProgram([() => workers.Work(0, startsAsleep: true), () => workers.QueueRoot("b")], () => workers.RequireDone("a", "b"), workers.Dismiss);
    }

    // Nobody sleeps for good here: a worker that is not retired is a failure.
    private static ModelProgram Stop()
    {
        var workers = new ModelWorkers(workers: 1, limit: 1);
        return new ModelProgram(
            [() => workers.Work(0), () => workers.QueueRoot("a"), workers.Stop],
            () => workers.RequireDone("a"));
    }
}
