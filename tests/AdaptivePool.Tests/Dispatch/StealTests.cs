using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;
using AdaptivePool.Tests.ModelChecking;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>
/// From whom a worker takes: mostly from its own group first, in some turns from anybody, and while it has work of its own from those alone whose item runs on.
/// Four workers in two groups: three hold an item and have local work behind it, the fourth is the thief.
/// </summary>
public sealed class StealTests : IDisposable
{
    private const int Groups = 2;
    private const int Holders = 3;

    /// <summary>Items behind each item that holds its worker: more than any test takes from one worker.</summary>
    private const int Behind = 60;

    /// <summary>More than an item takes.</summary>
    private const int StepsPerTurn = 200;

    private readonly Checker _checker = new();

    public void Dispose() => _checker.Dispose();

    [Fact]
    public void Steal_OfTwoGroups_MostlyTakesFromTheOwn()
    {
        const int Looked = 40;
        Require(
            static taken =>
            {
                int far = taken.Take(Looked).Count(static t => !t.IsNear);
                ModelFailureException.Require(taken.Count >= Looked, $"{taken.Count} were taken");

                // One turn in so many begins with anybody; the one who is next then is of the other group.
                const int Others = Looked / RoutedLanes<ModelSync>.OthersEvery;
                ModelFailureException.Require(far is >= Others - 1 and <= Others + 1, $"{far} of {Looked} are another group's");
            },
            isBusy: false,
            turns: Looked);
    }

    [Fact]
    public void Steal_BesideOwnWork_TakesOnlyWhatIsHeldUp_OfEachGroup()
    {
        const int Looks = 12;
        Require(
            static taken =>
            {
                ModelFailureException.Require(taken.Count >= Looks - 1, $"{taken.Count} were taken");
                ModelFailureException.Require(taken.TrueForAll(static t => t.IsHeldUp), "somebody lost work who comes to it soon");
                ModelFailureException.Require(taken.Take(2).Any(static t => t.IsNear), "the own group's is not reached");
                ModelFailureException.Require(taken.Take(2).Any(static t => !t.IsNear), "the other group's is not reached");
            },
            isBusy: true,
            turns: Looks * TurnRule.OthersEvery);
    }

    private void Require(Action<List<(bool IsNear, bool IsHeldUp)>> check, bool isBusy, int turns)
    {
        Exploration found = _checker.Exhaust(() => Create(check, isBusy, turns), new Bounds(Preemptions: 0, Ages: 0, IsCoarse: true));
        found.Failure.ShouldBeNull();
    }

    /// <param name="check">Gets what the thief has taken in so many of its turns.</param>
    /// <param name="isBusy">Whether the thief has an item of its own in each turn; then all but one of the workers are known to be held up.</param>
    /// <param name="turns">Turns of the thief.</param>
    private static ModelProgram Create(Action<List<(bool IsNear, bool IsHeldUp)>> check, bool isBusy, int turns)
    {
        var pool = new ModelPool(workers: Holders + 1, limit: 1, inFlightLimit: Holders + 1);
        pool.Set.Idle.SetGroups(Groups);
        WordParking<ModelSync> begin = new();
        WordParking<ModelSync>[] ends = [.. Enumerable.Range(0, Holders).Select(static _ => new WordParking<ModelSync>())];
        List<(bool IsNear, bool IsHeldUp)> taken = [];
        Worker<ModelSync>? thief = null;
        int ready = 0;
        int far = 0;
        bool isOver = false;
        pool.Set.QueueInFlight(new CallbackItem(() =>
        {
            thief = Worker<ModelSync>.Current;
            begin.Park();
            if (isBusy)
            {
                pool.Set.HasHeldUp = true;
                Own(turns);
            }
        }));
        foreach (WordParking<ModelSync> end in ends)
        {
            pool.Set.QueueInFlight(new CallbackItem(() => Hold(end)));
        }

        return new ModelProgram([], () => check(taken), pool.Dismiss) { MaxSteps = (turns + (Holders * Behind)) * StepsPerTurn };

        void Hold(WordParking<ModelSync> end)
        {
            Worker<ModelSync> holder = Worker<ModelSync>.Current!;
            for (int i = 0; i < Behind; i++)
            {
                holder.PushLocal(new CallbackItem(() => Note(holder)), fair: false);
            }

            // Of the two that are of another group than the thief one comes to its own work soon.
            holder.MayLoseLoneItem = isBusy && (holder.Group == thief!.Group || ++far == 1);
            if (++ready == Holders)
            {
                begin.Unpark();
            }

            end.Park();
        }

        void Note(Worker<ModelSync> holder)
        {
            if (isOver || !ReferenceEquals(Worker<ModelSync>.Current, thief))
            {
                return;
            }

            taken.Add((holder.Group == thief!.Group, holder.MayLoseLoneItem));
            if (!isBusy && taken.Count == turns)
            {
                End();
            }
        }

        void Own(int left)
        {
            if (left == 0)
            {
                End();
            }
            else
            {
                thief!.PushLocal(new CallbackItem(() => Own(left - 1)), fair: false);
            }
        }

        void End()
        {
            isOver = true;
            Array.ForEach(ends, static end => end.Unpark());
        }
    }
}
