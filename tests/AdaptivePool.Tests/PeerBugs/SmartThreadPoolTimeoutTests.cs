using AdaptivePool.Tests.ModelChecking;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// An item queued at the moment when the last idle worker gives up waiting is handed to that worker and never runs. https://github.com/amibar/SmartThreadPool/issues/26.
/// The core: leaving and being chosen must be decided by one atomic step.
/// </summary>
public sealed class SmartThreadPoolTimeoutTests : PeerBugTest
{
    [Fact]
    public void HandedToAWorkerThatLeaves_LosesTheItem() => RequireFoundAndCured(Leave);

    /// <summary>Here nobody leaves by itself: idle workers are popped, either to run work or to end, and a pop has one winner.</summary>
    [Fact]
    public void OurWorkers_RetiredWhileWorkIsQueued_RunItOrAskForAThread() => RequireRight(static () => Retired(1));

    [Fact]
    public void OurWorkers_OneOfTwoRetiredWhileWorkIsQueued_TheOtherRunsIt() =>
        RequireRight(static () => Retired(2), new Bounds(Preemptions: 1, Ages: 0, IsCoarse: true));

    /// <summary>All idle workers are ended over and over, while nobody looks after items that stay.</summary>
    [Fact]
    public void OurPool_WorkersRetiredAllTheTime_EachItemRuns()
    {
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 8 }, new PoolSurroundings { Budget = Budget, HasSafetyNet = false });
        bool ends = false;
        var retirer = new Thread(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                pool.Set.Retire(int.MaxValue);
                Thread.Yield();
            }
        })
        { IsBackground = true };
        retirer.Start();
        try
        {
            for (int i = 0; i < 300; i++)
            {
                Task[] items = [pool.Run(static () => { }), pool.Run(static () => { }), pool.Run(static () => { })];
                Array.ForEach(items, static t => Eventually.End(t, "an item must run although workers retire"));
            }
        }
        finally
        {
            Volatile.Write(ref ends, true);
            retirer.Join();
        }
    }

    private static ModelProgram Leave(bool isRight)
    {
        const int nobody = 0, waiting = 1, chosen = 2;
        Cell state = new(waiting), handed = new(), ran = new(), newWorker = new();
        void TimeOut()
        {
            if (isRight)
            {
                if (ModelSync.CompareExchange(ref state.Value, nobody, waiting, string.Empty, 1) != waiting)
                {
                    ran.Value += ModelSync.Read(ref handed.Value, string.Empty, 2);
                }
            }
            else if (ModelSync.VolatileRead(ref handed.Value, string.Empty, 3) == 1)
            {
                ran.Value++;
            }
            else
            {
                ModelSync.Exchange(ref state.Value, nobody, string.Empty, 4);
            }
        }

        void Queue()
        {
            bool isThere;
            if (isRight)
            {
                ModelSync.Write(ref handed.Value, 1, string.Empty, 5);
                isThere = ModelSync.CompareExchange(ref state.Value, chosen, waiting, string.Empty, 6) == waiting;
            }
            else
            {
                isThere = ModelSync.VolatileRead(ref state.Value, string.Empty, 7) == waiting;
                if (isThere)
                {
                    ModelSync.VolatileWrite(ref handed.Value, 1, string.Empty, 8);
                }
            }

            newWorker.Value += isThere ? 0 : 1;
        }

        return new ModelProgram([TimeOut, Queue], () => ModelFailureException.Require(ran.Value + newWorker.Value == 1, "nobody runs the item"));
    }

    private static ModelProgram Retired(int count)
    {
        var pool = new ModelPool(workers: count, limit: count, inFlightLimit: count);
        bool asked = false;
        pool.Set.RequestThreads = () => asked = true;
        return new ModelProgram(
            [() => pool.Set.Retire(1), () => pool.QueueRoot("a")],
            () => ModelFailureException.Require(pool.Root.Queue.IsEmpty || (asked && pool.Set.Idle.IsEmpty), "an item stays, and no thread was asked for"),
            pool.Dismiss)
        {
            OnRest = () => asked = false,
        };
    }
}
