namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <summary>Programs made by chance, of what an application does with contexts of Entity Framework.</summary>
internal static class EntityProgram
{
    /// <summary>What an interceptor of the application can throw in, wherever it stands: it need not be told of the end of what it throws in.</summary>
    private static readonly string[] s_events =
    [
        "TransactionStarting", "TransactionStarted", "TransactionCommitting", "TransactionRollingBack", "CreatingSavepoint", "ReaderExecuting",
        "ReaderExecuted", "NonQueryExecuting", "NonQueryExecuted", "DataReaderClosing", "CommandCreated", "ConnectionOpening", "ConnectionOpened",
    ];

    /// <summary>The member of an interceptor that throws in a step.</summary>
    public static string FailingEvent(EntityStep step) => s_events[(step.Choice + step.Other) % s_events.Length];

    /// <summary>SQL of the application's own.</summary>
    public static string Sql(int choice, int owner) => (choice % 8) switch
    {
        0 => $"UPDATE rows SET value = value + 1 WHERE owner = {owner}",
        1 => $"INSERT INTO rows (id, owner, value) VALUES ({First(owner)}, {owner}, 1)",
        2 => "SELECT * FROM nowhere",
        3 => "SELECT pg_terminate_backend(pg_backend_pid())",
        4 => $"DELETE FROM parts WHERE rowid = {First(owner)}",
        5 => $"INSERT INTO parts (id, rowid, value) VALUES ({(First(owner) * 2) + 900 + choice}, {First(owner) + 800}, 0)",
        _ => "SELECT 1",
    };

    /// <summary>The first row of an owner.</summary>
    public static int First(int owner) => (owner * ProgramContext.Ids) + 1;

    public static EntityStep[] Make(Random random, int length, params EntityAction[] without)
    {
        EntityAction[] actions = [.. Enum.GetValues<EntityAction>().Except(without).SelectMany(static each => Enumerable.Repeat(each, Weight(each)))];
        return
        [
            default,
            .. Enumerable.Range(0, length).Select(_ => new EntityStep(
                actions[random.Next(actions.Length)],
                random.Next(12),
                random.Next(12),
                random.Next(240),
                random.Next(2) == 0,
                random.Next(16) == 0,
                random.Next(12) == 0)),
        ];
    }

    private static int Weight(EntityAction action) => action switch
    {
        EntityAction.Save => 12,
        EntityAction.Begin => 10,
        EntityAction.Add => 8,
        EntityAction.EndOfStream or EntityAction.Sql => 6,
        EntityAction.Create or EntityAction.Commit or EntityAction.Query => 5,
        EntityAction.DisposeContext or EntityAction.OpenGiven or EntityAction.UseTransaction or EntityAction.Delete or EntityAction.SqlQuery => 3,
        EntityAction.CloseGiven or EntityAction.BeginGiven or EntityAction.EndGiven or EntityAction.Behave => 2,
        EntityAction.AddTwice or EntityAction.AddLost or EntityAction.ChangeLost or EntityAction.Remove or EntityAction.CanConnect
            or EntityAction.CancelRunning or EntityAction.Scope or EntityAction.Enlist => 1,
        _ => 4,
    };
}
