using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// Liveness under weak fairness: items that queue themselves again and again, and one that waits behind them. Each worker that can go on does, and the awaited
/// item must end within a bounded number of turns of each.
/// </summary>
internal static class EndlessPrograms
{
    /// <summary>
    /// Turns of a worker in which each queue has come first. The longest way is that of the oldest item of a deque, where one of the producers may stand before
    /// it; items are short here. Each of the two is seen in one turn for the oldest, and taken in the first of those turns after its time. Root work of low
    /// priority behind work of all other kinds needs 1,024: one turn in sixteen is for root work, one in two of those for its class, and one in sixteen of
    /// those for its lane, where one of the producers may stand before it.
    /// </summary>
    public const int MostTurns = 2 * ((2 * TurnRule.OldestEvery) + (int)(TurnRule.OldestAfterSeconds / TurnRace.TurnSeconds));

    /// <summary>More than a turn takes.</summary>
    private const int StepsPerTurn = 150;

    /// <summary>Producers, and one item behind them.</summary>
    /// <param name="workers">Workers, and slots of each class of root work.</param>
    /// <param name="inFlightLimit">Slots of work in flight.</param>
    /// <param name="producers">How the producers queue themselves, one each.</param>
    /// <param name="awaited">How the item is queued.</param>
    public static ModelProgram Create(int workers, int inFlightLimit, WorkWay[] producers, WorkWay awaited)
    {
        var pool = new ModelPool(workers, limit: workers, inFlightLimit);
        _ = pool.Other;
        if (producers.Append(awaited).Any(static way => way is WorkWay.Routed or WorkWay.OtherRoute))
        {
            pool.Set.Idle.SetGroups(2);
        }

        var race = new TurnRace(MostTurns, item => pool.Queue(awaited, item));
        foreach (WorkWay way in producers)
        {
            pool.Queue(WorkWay.Root, race.Producer(again => pool.Queue(way, again)));
        }

        return new ModelProgram([], () => ModelFailureException.Require(race.HasEnded, "all sleep and the item has not run"), pool.Dismiss)
        {
            MaxSteps = (MostTurns + 100) * workers * StepsPerTurn,
        };
    }

    /// <summary>One item queues itself again so often, above an older one in the same deque, and takes a tick of the clock each time.</summary>
    public static ModelProgram OldestInNoTime(int turns)
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        int turn = 0;
        int ranAt = -1;
        CallbackItem? producer = null;
        producer = new CallbackItem(() =>
        {
            VirtualThread.Current!.Now++;
            if (++turn == 1)
            {
                pool.Queue(WorkWay.Local, new CallbackItem(() => ranAt = turn));
            }

            if (turn < turns)
            {
                pool.Queue(WorkWay.Local, producer!);
            }
        });
        pool.Queue(WorkWay.Root, producer);
        return new ModelProgram([], () => ModelFailureException.Require(ranAt == turns, $"it has run in turn {ranAt}"), pool.Dismiss)
        {
            MaxSteps = turns * StepsPerTurn,
        };
    }
}
