using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Tests.Data.Fakes;

internal sealed class FakeConnection(FakeDataSource source) : DbConnection
{
    private ConnectionState _state = ConnectionState.Closed;
    private string _database = "fake";
    private FakeSession? _gone;

    [AllowNull]
    public override string ConnectionString { get; set; } = "fake";

    public override string Database => _database;

    public override string DataSource => "fake";

    public override string ServerVersion
    {
        get
        {
            _ = OpenSession;
            return "1.0";
        }
    }

    public override ConnectionState State => _state;

    public override bool CanCreateBatch => source.IsStrict;

    public FakeDataSource Source => source;

    /// <summary>That of a strict connection that is open.</summary>
    public FakeSession? Session { get; private set; }

    /// <summary>What opening asynchronously waits for; null for nothing.</summary>
    public Func<Task>? Opening { get; init; }

    public override async Task OpenAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        await (Opening?.Invoke() ?? Task.CompletedTask);
        Open();
    }

    public override void Open()
    {
        if (source.IsStrict && _state != ConnectionState.Closed)
        {
            throw new InvalidOperationException("The connection is open already.");
        }

        source.Note("open");
        if (source.IsStrict)
        {
            _gone?.Broken = null;
            _database = "fake";
            Session = new FakeSession(this);
            source.Sessions.TryAdd(Session, true);
            Session.Enlist(System.Transactions.Transaction.Current);
        }

        Enter(ConnectionState.Open);
    }

    public override void Close()
    {
        _gone?.Broken = null;
        _database = "fake";
        if (_state != ConnectionState.Closed)
        {
            source.Note("close");
            EndSession();
            Enter(ConnectionState.Closed);
        }
    }

    public override void ChangeDatabase(string databaseName)
    {
        OpenSession?.ThrowIfReading();
        source.Note("change");
        _database = source.IsStrict ? databaseName : _database;
    }

    public override void EnlistTransaction(System.Transactions.Transaction? transaction) => OpenSession?.Enlist(transaction);

    public override DataTable GetSchema() => GetSchema("");

    public override DataTable GetSchema(string collectionName) => GetSchema(collectionName, []);

    public override DataTable GetSchema(string collectionName, string?[] restrictionValues)
    {
        OpenSession?.ThrowIfReading();
        source.Note("schema");
        return new DataTable(collectionName);
    }

    /// <summary>What a provider does when the server goes away.</summary>
    public void Break()
    {
        _gone = Session;
        _gone?.Broken = _gone.Transaction;
        EndSession();
        Enter(source.StateWhenBroken);
    }

    /// <summary>That of a strict one, which must be open.</summary>
    private FakeSession? OpenSession => !source.IsStrict ? null : Session ?? throw new InvalidOperationException("The connection is closed.");

    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
    {
        FakeSession? session = OpenSession;
        source.Note(source.IsStrict ? $"begin {isolationLevel}" : "begin");
        session?.ThrowIfBusy();
        source.Beginning?.Invoke();
        var transaction = new FakeTransaction(this, session, isolationLevel);
        session?.Begin(transaction);
        return transaction;
    }

    protected override DbCommand CreateDbCommand()
    {
        var command = new FakeCommand(this);
        if (source.IsStrict)
        {
            command.Transaction = source.GivesTransactions ? Session?.Transaction : null;
        }
        else
        {
            source.Commands.Add(command);
        }

        return command;
    }

    protected override DbBatch CreateDbBatch() => new FakeBatch((FakeCommand)CreateDbCommand());

    public override ValueTask DisposeAsync()
    {
        DisposeAs(isAsync: true);
        return ValueTask.CompletedTask;
    }

    protected override void Dispose(bool disposing) => DisposeAs(isAsync: false, disposing);

    private void DisposeAs(bool isAsync, bool disposing = true)
    {
        if (disposing && !source.IsStrict)
        {
            source.Disposals.Add(isAsync);
        }

        Close();
        base.Dispose(disposing);
        if (disposing && source.DisposeFails)
        {
            throw new InvalidOperationException("dispose of the connection failed");
        }
    }

    private void EndSession()
    {
        Session?.End();
        Session = null;
    }

    private void Enter(ConnectionState state)
    {
        var change = new StateChangeEventArgs(_state, state);
        _state = state;
        if (!source.IsSilent)
        {
            OnStateChange(change);
        }
    }
}
