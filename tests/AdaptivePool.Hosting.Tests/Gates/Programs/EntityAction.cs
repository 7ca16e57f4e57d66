namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <summary>What a step of a program does.</summary>
internal enum EntityAction
{
    Create, DisposeContext, OpenConnection, CloseConnection,
    OpenGiven, CloseGiven, BeginGiven, EndGiven,
    Begin, Commit, RollBack, DisposeTransaction, Savepoint, UseTransaction,
    Add, AddTwice, AddLost, Change, ChangeLost, Remove, Clear, Save, Behave,
    Query, SplitQuery, Scalar, CanConnect, Stream, NextOfStream, EndOfStream,
    Update, Delete, Sql, SqlQuery, CancelRunning,
    Strategy, Scope, Enlist,
}
