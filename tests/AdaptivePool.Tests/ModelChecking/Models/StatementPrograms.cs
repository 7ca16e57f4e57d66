using AdaptivePool.Admission;
using AdaptivePool.Data;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The statement that runs in a transaction, and whoever ends the one by the other.</summary>
internal static class StatementPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("statement: begins while its transaction is cancelled", Cancelled, Bounds.Default),
        new("statement: of the transaction before", Earlier, Bounds.Default),
        new("statement: a transaction ends once", Once, Bounds.Default),
    ];

    private static ModelProgram Cancelled()
    {
        var turn = new StatementTurn<ModelSync, object, object>();
        object transaction = new(), statement = new();
        turn.Begin(transaction);
        Cell cancelled = new();
        bool saw = false;
        bool ended = false;
        return new ModelProgram(
            [
                () => saw = turn.BeginStatement(statement) is not null && ModelSync.RelaxedRead(ref cancelled.Value, string.Empty, 1) != 0,
                () =>
                {
                    ModelSync.RelaxedWrite(ref cancelled.Value, 1, string.Empty, 2);
                    ended = turn.RunningOf(transaction) is not null;
                },
            ],
            () => ModelFailureException.Require(saw || ended, "a statement that nobody ends runs in a cancelled transaction"));
    }

    // Whoever cancels one transaction never ends a statement of the next one, and each transaction ends once.
    private static ModelProgram Earlier()
    {
        var turn = new StatementTurn<ModelSync, object, object>();
        object first = new(), second = new(), late = new();
        turn.Begin(first);
        bool ended = false;
        bool endedLate = false;
        return new ModelProgram(
            [
                () =>
                {
                    ended = turn.Forget(first);
                    turn.Begin(second);
                    turn.BeginStatement(late);
                },
                () => ModelFailureException.Require(!ReferenceEquals(turn.RunningOf(first), late), "the statement of another transaction"),
                () => endedLate = turn.Forget(first),
            ],
            () => ModelFailureException.Require(ended != endedLate && ReferenceEquals(turn.Transaction, second),
                "the first transaction is still open or has ended twice, or the second one has ended"));
    }

    private static ModelProgram Once()
    {
        var turn = new StatementTurn<ModelSync, object, object>();
        object transaction = new();
        turn.Begin(transaction);
        bool[] ended = new bool[3];
        return new ModelProgram(
            [() => ended[0] = turn.Forget(transaction), () => ended[1] = turn.Forget(transaction), () => ended[2] = turn.Forget(transaction)],
            () => ModelFailureException.Require(ended.Count(static it => it) == 1 && turn.Transaction is null, "ended twice, or not at all"));
    }
}
