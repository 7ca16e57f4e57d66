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
        new("wake: found work", FoundWork, Bounds.Longest),
        new("wake: manned class", Manned, Bounds.Longest),
        new("wake: crew too large", Overmanned, Bounds.Longest),
        new("wake: stop", Stop, Bounds.Longest),
        new("wake: one at a time", OneAtATime, Bounds.Default),
    ];

    private static ModelProgram OneProducer() => TwoAsleep(limit: 2);

    private static ModelProgram OneSlot() => TwoAsleep(limit: 1);

    // What is queued while the one worker of the crew runs is left to it, whatever it does at that moment.
    private static ModelProgram Manned() => TwoAsleep(limit: 2, crew: 1);

    // Both workers sleep, one of them called for an item that is there, and another item comes.
    private static ModelProgram TwoAsleep(int limit, int crew = ModelWorkers.NoCrew)
    {
        var workers = new ModelWorkers(workers: 2, limit, crew);
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

    // What the searcher found does not end, so that only its look after giving the token back can help whoever relied on it.
    private static ModelProgram FoundWork()
    {
        var workers = new ModelWorkers(workers: 2, limit: 2);
        workers.LieDownAll();
        workers.QueueRoot("a");
        return new ModelProgram(
            [() => workers.Work(0, startsAsleep: true), () => workers.FindOne(1), () => workers.QueueRoot("b")],
            () => workers.Ledger.RequireAll(["a", "b"], []),
            workers.Dismiss);
    }

    // The woken worker searches, and wakes the next one itself if it finds something: a second wake at once is one too many.
    private static ModelProgram OneAtATime()
    {
        var workers = new ModelWorkers(workers: 2, limit: 2);
        workers.LieDownAll();
        return new ModelProgram(
            [() => workers.QueueRoot("a"), () => workers.QueueRoot("b")],
            () => ModelFailureException.Require(workers.Wakes == 1 && workers.Idle.Count == 1, "two searchers at once"));
    }

    // Both may take a slot before either sees the other, and both may leave for the other.
    private static ModelProgram Overmanned()
    {
        var workers = new ModelWorkers(workers: 2, limit: 2, crew: 1);
        workers.QueueRoot("a");
        return new ModelProgram(
            [() => workers.Work(0), () => workers.Work(1), () => workers.QueueRoot("b")],
            () => workers.RequireDone("a", "b"),
            workers.Dismiss);
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
