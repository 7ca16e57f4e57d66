namespace AdaptivePool.Tests.Data.Programs;

/// <summary>Programs made by chance, of what an application does with a data source.</summary>
internal static class DataProgram
{
    /// <summary>Statements that the fake provider understands, and PostgreSQL.</summary>
    public static readonly string[] Texts =
    [
        "SELECT 1",
        "INSERT INTO t VALUES (1)",
        "SELECT generate_series(1, 3)",
        "SELECT 1; SELECT 2; SELECT 3",
        "INSERT INTO t VALUES (2); INSERT INTO t VALUES (3); SELECT 4",
        "SELECT id FROM t ORDER BY id",
        "SHOW app.x",
        "SET app.x = '7'",
        "SELECT * FROM nowhere",
        "INSERT INTO t VALUES (5); SELECT * FROM nowhere",
        "SELECT pg_terminate_backend(pg_backend_pid())",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
    ];

    // The first texts are the usual ones.
    private static readonly int[] s_texts = [0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 11, 12, 13];

    private static readonly (DataAction Action, int Weight)[] s_weights =
    [
        (DataAction.Create, 3),
        (DataAction.Open, 10),
        (DataAction.Close, 6),
        (DataAction.Dispose, 2),
        (DataAction.Look, 3),
        (DataAction.Schema, 1),
        (DataAction.ChangeDatabase, 1),
        (DataAction.Begin, 10),
        (DataAction.Commit, 5),
        (DataAction.RollBack, 4),
        (DataAction.DisposeTransaction, 4),
        (DataAction.Savepoint, 4),
        (DataAction.MakeCommand, 9),
        (DataAction.SetText, 9),
        (DataAction.SetTransaction, 6),
        (DataAction.SetConnection, 3),
        (DataAction.NonQuery, 9),
        (DataAction.Scalar, 8),
        (DataAction.Read, 10),
        (DataAction.Prepare, 2),
        (DataAction.Cancel, 1),
        (DataAction.CancelRunning, 1),
        (DataAction.DisposeCommand, 2),
        (DataAction.Row, 6),
        (DataAction.NextResult, 4),
        (DataAction.LookAtRows, 4),
        (DataAction.CloseReader, 5),
        (DataAction.DisposeReader, 7),
        (DataAction.Batch, 3),
        (DataAction.SourceCommand, 3),
        (DataAction.SourceBatch, 1),
        (DataAction.Scope, 1),
        (DataAction.Enlist, 1),
    ];

    /// <summary>The number of a text for a choice of any size.</summary>
    public static string Text(int choice) => Texts[s_texts[choice % s_texts.Length]];

    /// <summary>A program.</summary>
    /// <param name="random">Chance.</param>
    /// <param name="length">Its length.</param>
    /// <param name="without">What it must not do.</param>
    public static DataStep[] Make(Random random, int length, params DataAction[] without)
    {
        DataAction[] actions = [.. s_weights.Where(each => !without.Contains(each.Action))
            .SelectMany(static each => Enumerable.Repeat(each.Action, each.Weight))];
        DataStep[] begin =
        [
            new(DataAction.Create, 0, 0, 1, IsAsync: false, IsCancelled: false, Fails: false),
            new(DataAction.Open, 0, 0, 0, IsAsync: true, IsCancelled: false, Fails: false),
            new(DataAction.MakeCommand, 0, 0, 0, IsAsync: false, IsCancelled: false, Fails: false),
        ];
        return
        [
            .. begin,
            .. Enumerable.Range(0, length).Select(_ => new DataStep(
                actions[random.Next(actions.Length)],
                random.Next(12),
                random.Next(12),
                random.Next(240),
                random.Next(2) == 0,
                random.Next(16) == 0,
                random.Next(12) == 0)),
        ];
    }
}
