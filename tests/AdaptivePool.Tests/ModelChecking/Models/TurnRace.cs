using System.Diagnostics;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// Producers that never end, one awaited item, and the count of turns that each worker has had since that was queued. Its fields are the program's own: they
/// are touched between operations of the shim only.
/// </summary>
/// <param name="mostTurns">Turns of any worker after which the item counts as starved.</param>
/// <param name="queueAwaited">Queues the awaited item; called by a producer, before it queues itself again.</param>
internal sealed class TurnRace(int mostTurns, Action<CallbackItem> queueAwaited)
{
    /// <summary>What a turn takes by the clock of its worker: little enough for a short item.</summary>
    public const double TurnSeconds = WakeThresholdRule.WakeSeconds / 4;

    /// <summary>Turns after which all producers are at work.</summary>
    private const int TurnsBefore = 24;

    private readonly int[] _turns = new int[Checker.MaxThreads];
    private int _turnsBefore;

    /// <summary>Whether the awaited item has run.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Makes an item that queues itself again until the awaited one has run.</summary>
    /// <param name="queueAgain">Queues it.</param>
    public CallbackItem Producer(Action<CallbackItem> queueAgain)
    {
        CallbackItem? producer = null;
        return producer = new CallbackItem(() =>
        {
            if (HasEnded)
            {
                return;
            }

            VirtualThread.Current!.Now += (long)(TurnSeconds * Stopwatch.Frequency);
            CountTurn();
            queueAgain(producer!);
            VirtualThread.MakeWay();
        });
    }

    private void CountTurn()
    {
        if (_turnsBefore < TurnsBefore)
        {
            if (++_turnsBefore == TurnsBefore)
            {
                queueAwaited(new CallbackItem(() => HasEnded = true));
            }

            return;
        }

        int worker = VirtualThread.Current!.Id;
        ModelFailureException.Require(++_turns[worker] <= mostTurns, $"the item has not run after {mostTurns} turns of worker {worker}");
    }
}
