using System.Data;
using System.Data.Common;

namespace AdaptivePool.Tests.Data.Fakes;

internal sealed class FakeTransaction(FakeConnection connection, FakeSession? session, IsolationLevel isolationLevel) : DbTransaction
{
    private bool _isOver;
    private bool _isDisposed;

    public override IsolationLevel IsolationLevel
    {
        get
        {
            ThrowIfOver();
            return isolationLevel;
        }
    }

    public override bool SupportsSavepoints => true;

    public bool IsOver => session is null ? _isOver : !ReferenceEquals(session.Transaction, this);

    protected override DbConnection? DbConnection => IsOver && !connection.Source.EndedHaveConnections ? null : connection;

    public override void Commit() => End("commit");

    public override void Rollback() => End("rollback");

    public override void Save(string savepointName)
    {
        Note("save " + savepointName);
        session?.Mark(savepointName);
    }

    public override void Rollback(string savepointName)
    {
        Note("rollback " + savepointName);
        session?.GoBack(savepointName);
    }

    public override void Release(string savepointName)
    {
        Note("release " + savepointName);
        session?.Forget(savepointName);
    }

    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        if (session is null)
        {
            connection.Source.Note("dispose");
        }
        else if (!IsOver)
        {
            try
            {
                connection.Source.Note("dispose");
            }
            finally
            {
                session.Reader?.Break();
                session.EndTransaction(isCommit: false);
            }
        }
    }

    private void Note(string call)
    {
        ThrowIfOver();
        session?.ThrowIfReading();
        connection.Source.Note(call);
    }

    private void End(string call)
    {
        ThrowIfOver();
        session?.ThrowIfReading();
        _isOver = connection.Source.FailureEnds;
        try
        {
            connection.Source.Note(call);
        }
        catch (Exception) when (_isOver)
        {
            session?.EndTransaction(isCommit: false);
            throw;
        }

        session?.EndTransaction(call == "commit");
        _isOver = true;
    }

    private void ThrowIfOver()
    {
        if (session is not null)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (IsOver)
            {
                throw new InvalidOperationException(
                    ReferenceEquals(session.Broken, this) ? "The server has gone." : "The transaction has ended, or its connection is closed.");
            }
        }
    }
}
