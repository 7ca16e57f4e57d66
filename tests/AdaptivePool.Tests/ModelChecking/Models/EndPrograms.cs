using AdaptivePool.Dispatch;
using AdaptivePool.Internal;
using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// A pool is closed while work comes and while work goes on: what was accepted before has run when the workers stop, what comes at that moment runs or is
/// refused, and the pool ends. Nobody sleeps for good here.
/// </summary>
internal static class EndPrograms
{
    /// <summary>Looks of the thread that ends the pool in which it may miss what moves; then it looks when all others have done what they can.</summary>
    private const int Looks = 3;

    public static NamedProgram[] All { get; } =
    [
        new("end: root work comes while the pool is closed", Arrives, Bounds.Whole),
        new("end: root work was accepted before", Accepted, Bounds.Crowded),
        new("end: an asynchronous function awaits", Awaits, Bounds.Crowded),
        new("end: an asynchronous function ends while it begins to await", EndsAtOnce, Bounds.Crowded),
        new("end: a task has a thread of its own", LongRunning, Bounds.Crowded),
        new("end: closed twice while its thread falls asleep", Twice, Bounds.Long),
    ];

    private static ModelProgram Arrives()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var closing = new Closing(pool);
        bool isAccepted = false;
        return new ModelProgram(
            [
                () =>
                {
                    // As WorkClass does.
                    isAccepted = !closing.End.IsClosed;
                    if (isAccepted)
                    {
                        pool.QueueRoot("a");
                    }
                },
                closing.Close,
                closing.Finish,
            ],
            () =>
            {
                pool.RequireEnded(isAccepted ? ["a"] : []);
                closing.RequireOver();
            })
        {
            OnRest = static () => { },
        };
    }

    private static ModelProgram Accepted()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var closing = new Closing(pool) { Accepted = ["a", "b"] };
        return new ModelProgram(
            [
                () =>
                {
                    pool.QueueRoot("a", () => pool.PushLocal("b"));
                    closing.Close();
                },
                closing.Finish,
            ],
            () =>
            {
                pool.RequireEnded("a", "b");
                closing.RequireOver();
            })
        {
            OnRest = static () => { },
        };
    }

    private static ModelProgram Awaits() => Function(static (pool, function) => pool.Set.QueueRoot(pool.Root, function, RootPlace.Normal));

    // In flight its worker holds the slot that its continuation needs.
    private static ModelProgram EndsAtOnce() => Function(static (pool, function) => pool.Set.QueueInFlight(function));

    // What follows the caller's await is queued where the awaited task ends, by a thread that is none of the pool.
    private static ModelProgram Function(Action<ModelPool, ModelAsyncItem> queue)
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var closing = new Closing(pool) { Accepted = ["b"] };
        var awaited = new TaskCompletionSource();
        Cell step = new();
        var function = new ModelAsyncItem(() => awaited.Task, closing.End, CancellationToken.None) { OnCompleted = () => pool.QueueInFlight("b") };
        return new ModelProgram(
            [
                () =>
                {
                    queue(pool, function);
                    closing.Close();
                },
                () =>
                {
                    ModelSync.VolatileWrite(ref step.Value, 1, string.Empty, 1);
                    awaited.SetResult();
                },
                closing.Finish,
            ],
            () =>
            {
                pool.RequireEnded("b");
                function.RequireOneEnd();
                closing.RequireOver();
            })
        {
            OnRest = static () => { },
        };
    }

    // AdaptiveThreadPool.StartLongRunning.
    private static ModelProgram LongRunning()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var closing = new Closing(pool) { Accepted = ["a"] };
        return new ModelProgram(
            [
                () =>
                {
                    closing.End.BeginOutstanding();
                    ModelSync.Start(
                        () =>
                        {
                            pool.QueueInFlight("a");
                            closing.End.EndOutstanding();
                        },
                        "long running",
                        0);
                    closing.Close();
                },
                closing.Finish,
            ],
            () =>
            {
                pool.RequireEnded("a");
                closing.RequireOver();
            })
        {
            OnRest = static () => { },
        };
    }

    private static ModelProgram Twice()
    {
        var closing = new Closing(new ModelPool(workers: 0, limit: 1, inFlightLimit: 1, maxThreads: 1));
        return new ModelProgram([closing.Close, closing.Close, closing.Finish], closing.RequireOver);
    }

    /// <summary>The end of a pool as it is, the callers that close it, and what the sizing thread does about it.</summary>
    private sealed class Closing
    {
        private readonly ModelPool _pool;
        private readonly Doze<ModelSync> _doze;
        private readonly List<Task> _closed = [];
        private int _over;

        public Closing(ModelPool pool)
        {
            _pool = pool;
            _doze = new Doze<ModelSync>(() => pool.Set.QueuedCount() > 0);
            pool.Set.OnHeldUp = _doze.WakeUp;
            End = new PoolEnd<ModelSync>(pool.Set, () => _over++);
        }

        public PoolEnd<ModelSync> End { get; }

        /// <summary>The items that must have run when the workers stop; <see langword="null"/> where an item may come as late as that.</summary>
        public string[]? Accepted { get; init; }

        public void Close() => _closed.Add(End.Close(_doze.Call));

        public void Finish()
        {
            int looks = 0;
            while (true)
            {
                if (!End.IsClosed)
                {
                    if (!_doze.Sleep())
                    {
                        // Work waits: its next look comes later.
                        VirtualThread.AwaitRest();
                    }

                    continue;
                }

                if (++looks > Looks)
                {
                    VirtualThread.AwaitRest();
                }

                if (TryFinish())
                {
                    return;
                }

                _doze.Pause(TickRule.Shortest);
            }
        }

        public void RequireOver() => ModelFailureException.Require(
            _over == 1 && _closed.Count > 0 && _closed.TrueForAll(static closed => closed.IsCompletedSuccessfully),
            $"over {_over} times, and not all of the {_closed.Count} that closed the pool are told");

        private bool TryFinish()
        {
            bool stopped = _pool.Set.Stopped;
            bool isOver = End.TryFinish(isTimeOver: false, static () => { });
            if (!stopped && _pool.Set.Stopped && Accepted is { } accepted)
            {
                _pool.Ledger.RequireAll(accepted, []);
            }

            return isOver;
        }
    }
}
