using AdaptivePool.Admission;
using AdaptivePool.Data;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The use of a kept connection and its end: nobody touches a session that was handed on, and no session is lost or handed on twice.</summary>
internal static class UsePrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("use: two calls beside its end", LateCalls, Bounds.Default),
        new("use: a session is opened beside its end", OpenedLate, Bounds.Long),
        new("use: two open a session", OpenedTwice, Bounds.Long),
        new("use: what a call leaves behind", LeftBehind, Bounds.Default),
        new("use: two begin a transaction", TwoBegin, Bounds.Default),
        new("slot: opened and closed by several", SeveralClose, Bounds.Default),
        new("slot: opened by two", TwoOpen, Bounds.Default),
    ];

    // The next user writes where the calls of this one read and write: each sees its own only.
    private static ModelProgram LateCalls()
    {
        var use = new ConnectionUse<ModelSync, Cell>();
        Begin(use, new Cell());
        Cell session = new();
        void Call()
        {
            if (use.TryEnter())
            {
                int before = ModelSync.Read(ref session.Value, string.Empty, 1);
                ModelFailureException.Require(before < 10, "a call reads in a session that was handed on");
                ModelSync.Write(ref session.Value, 1, string.Empty, 2);
                use.Leave();
            }
        }

        return new ModelProgram(
            [
                Call,
                () =>
                {
                    (Cell? taken, bool isQuiet) = use.End();
                    ModelFailureException.Require(taken is not null, "the session is lost");
                    if (isQuiet)
                    {
                        ModelSync.Write(ref session.Value, 10 + ModelSync.Read(ref session.Value, string.Empty, 3), string.Empty, 4);
                    }
                },
            ],
            () => ModelFailureException.Require(ModelSync.Read(ref session.Value, string.Empty, 5) is 0 or 1 or 10 or 11,
                "a call wrote into a session that was handed on"));
    }

    private static ModelProgram OpenedLate()
    {
        var use = new ConnectionUse<ModelSync, Cell>();
        Cell opened = new();
        Cell owners = new();
        bool isLetIn = false;
        return new ModelProgram(
            [
                () =>
                {
                    isLetIn = use.TryEnter();
                    if (isLetIn)
                    {
                        if (!use.TryBegin(opened))
                        {
                            ModelSync.Increment(ref owners.Value, string.Empty, 1);
                        }

                        use.Leave();
                    }
                },
                () =>
                {
                    if (use.End().Session is not null)
                    {
                        ModelSync.Increment(ref owners.Value, string.Empty, 2);
                    }
                },
            ],
            () =>
            {
                ModelFailureException.Require(ModelSync.Read(ref owners.Value, string.Empty, 3) == (isLetIn ? 1 : 0), "a session has no owner, or two");
                ModelFailureException.Require(use.HasEnded && !use.TryEnter() && use.Session is null, "a use goes on after its end");
            });
    }

    // The one that comes in second finds the session of the first.
    private static ModelProgram OpenedTwice()
    {
        var use = new ConnectionUse<ModelSync, Cell>();
        TaskCompletionSource? present = null;
        int opened = 0;
        void Open()
        {
            if (ConnectionUse<ModelSync, Cell>.TryEnterOpening(ref present, new TaskCompletionSource()) is not null)
            {
                return;
            }

            if (use.Session is null)
            {
                opened++;
                ModelFailureException.Require(use.TryBegin(new Cell()), "a session was not wanted");
            }

            ConnectionUse<ModelSync, Cell>.LeaveOpening(ref present);
        }

        return new ModelProgram(
            [Open, Open], () => ModelFailureException.Require(opened == 1 && use.End().Session is not null, "two sessions are opened for one use"));
    }

    // A transaction that has begun: who ends the use finds it, or who began it finds the end.
    private static ModelProgram LeftBehind()
    {
        var use = new ConnectionUse<ModelSync, Cell>();
        Cell left = new();
        bool knows = true;
        bool finds = false;
        return new ModelProgram(
            [
                () =>
                {
                    knows = !use.TryEnter();
                    if (!knows)
                    {
                        ModelSync.RelaxedWrite(ref left.Value, 1, string.Empty, 1);
                        knows = use.Leave();
                    }
                },
                () =>
                {
                    use.End();
                    finds = ModelSync.RelaxedRead(ref left.Value, string.Empty, 2) == 1;
                },
            ],
            () => ModelFailureException.Require(knows || finds, "nobody ends what a call has left behind"));
    }

    // The one that comes in second finds the transaction of the first.
    private static ModelProgram TwoBegin()
    {
        var use = new ConnectionUse<ModelSync, Cell>();
        Cell open = new();
        int begun = 0;
        void BeginOne()
        {
            if (!use.TryEnterBegin())
            {
                return;
            }

            if (ModelSync.RelaxedRead(ref open.Value, string.Empty, 1) == 0)
            {
                begun++;
                ModelSync.RelaxedWrite(ref open.Value, 1, string.Empty, 2);
            }

            use.LeaveBegin();
        }

        return new ModelProgram([BeginOne, BeginOne], () => ModelFailureException.Require(begun == 1, "two transactions begin without knowing of each other"));
    }

    private static ModelProgram SeveralClose()
    {
        var present = new ConnectionUse<ModelSync, Cell>();
        bool[] closed = new bool[2];
        bool isOpened = false;
        return new ModelProgram(
            [
                () => closed[0] = ConnectionUse<ModelSync, Cell>.TryTake(ref present) is not null,
                () => closed[1] = ConnectionUse<ModelSync, Cell>.TryTake(ref present) is not null,
                () => isOpened = ConnectionUse<ModelSync, Cell>.TryOpen(ref present),
            ],
            () =>
            {
                int left = (isOpened ? 2 : 1) - closed.Count(static it => it);
                int open = ConnectionUse<ModelSync, Cell>.Present(ref present) is null ? 0 : 1;
                ModelFailureException.Require(left == open && closed.Contains(true), "a use was closed twice, or two are open");
            });
    }

    private static ModelProgram TwoOpen()
    {
        ConnectionUse<ModelSync, Cell>? present = null;
        bool[] opened = new bool[2];
        return new ModelProgram(
            [
                () => opened[0] = ConnectionUse<ModelSync, Cell>.TryOpen(ref present),
                () => opened[1] = ConnectionUse<ModelSync, Cell>.TryOpen(ref present),
            ],
            () => ModelFailureException.Require(opened.Count(static it => it) == 1, "opened twice: the session of one of them is lost"));
    }

    private static void Begin(ConnectionUse<ModelSync, Cell> use, Cell session)
    {
        use.TryEnter();
        use.TryBegin(session);
        use.Leave();
    }
}
