using System.Data;
using System.Data.Common;

namespace AdaptivePool.Tests.Data.Fakes;

internal sealed class FakeTransaction(FakeConnection connection, IsolationLevel isolationLevel) : DbTransaction
{
    private bool _isOver;

    public override IsolationLevel IsolationLevel => isolationLevel;

    public override bool SupportsSavepoints => true;

    protected override DbConnection? DbConnection => _isOver ? null : connection;

    public override void Commit() => End("commit");

    public override void Rollback() => End("rollback");

    public override void Save(string savepointName) => connection.Source.Note("save " + savepointName);

    public override void Rollback(string savepointName) => connection.Source.Note("rollback " + savepointName);

    public override void Release(string savepointName) => connection.Source.Note("release " + savepointName);

    protected override void Dispose(bool disposing) => connection.Source.Note("dispose");

    private void End(string call)
    {
        _isOver = connection.Source.FailureEnds;
        connection.Source.Note(call);
        _isOver = true;
    }
}
